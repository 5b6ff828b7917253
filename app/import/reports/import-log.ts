/** @module The import log makes an import exactly-once: a repeated run sends each batch as in its first run. */

import type { BlockPart } from './block-parts.ts'

export interface ImportBatch {
  readonly previousToken: string
  readonly token: string
  readonly lines: number
  /** Host patterns that choose the sites of its reports. */
  readonly hosts: readonly string[]
  /** Receipt time of reports without one, in milliseconds since the epoch. */
  readonly importedAt: number
  /** Older reports had expired and were not stored; a longer retention stores them as a separate range. */
  readonly storedFrom: number
  /** Retention of the rows, in days. */
  readonly retentionDays: number
}

/** A batch that an earlier run began. */
export type StartedBatch = Pick<ImportBatch, 'token' | 'lines'>

/**
 * `done`: all rows of the range are stored, in every view. `open`: its rows are sent with its tokens. `restore`:
 * ClickHouse may have lost rows and tokens, so rows are looked up by id.
 */
export type RangeState = 'open' | 'restore' | 'done'

/** Reports of a batch from `storedFrom` to that of the range before it. */
export type RecordedRange = Omit<ImportBatch, 'previousToken' | 'token' | 'lines'> & { readonly state: RangeState }

export interface StoredRange {
  /** Reports of the batch, including skipped and rejected ones. */
  readonly reports: number
  readonly stored: number
  readonly parts: readonly BlockPart[]
}

export interface ImportLog {
  /** Started batches that follow a token. */
  following(previousToken: string): Promise<StartedBatch[]>
  /** Its ranges, the latest first. */
  find(token: string, previousToken: string): Promise<RecordedRange[]>
  /** Recorded before a batch's first insert. */
  start(batch: ImportBatch & { readonly state: RangeState }): Promise<void>
  /** Recorded after a batch's last insert. */
  finish(batch: ImportBatch, stored: StoredRange): Promise<void>
  /** Rejects if ClickHouse's machine restarted during the import: its tokens can be lost, so nothing is sent again. */
  checkBoot(): Promise<void>
}
