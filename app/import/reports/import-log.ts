/** @module The import log makes an import exactly-once: a repeated run sends each batch as its first run began it. */

import type { BlockPart } from './block-parts.ts'

export interface ImportBatch {
  readonly previousToken: string
  readonly token: string
  readonly lines: number
  /** Host patterns that choose the sites of its reports. */
  readonly hosts: readonly string[]
  /** Receipt time of reports that carry none, milliseconds since the epoch. */
  readonly importedAt: number
  /** Reports received before it had expired, and are not stored; a longer retention stores them as a range of its own. */
  readonly storedFrom: number
  /** Retention of the rows, in days. */
  readonly retentionDays: number
}

/** A batch that an earlier run began. */
export type StartedBatch = Pick<ImportBatch, 'token' | 'lines'>

/**
 * Of a range that is `done` all rows are stored, in every view. Rows of an `open` one are sent under its tokens. ClickHouse
 * can have lost rows of a range to `restore`, and tokens too: they are looked for by id.
 */
export type RangeState = 'open' | 'restore' | 'done'

/** Reports of a batch from `storedFrom` to that of the range before it. */
export type RecordedRange = Omit<ImportBatch, 'previousToken' | 'token' | 'lines'> & { readonly state: RangeState }

export interface StoredRange {
  /** Of the batch, skipped and rejected ones too. */
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
