/** @module The import log makes an import exactly-once: a repeated run sends each batch as its first run began it. */

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

/** Reports of a batch from `storedFrom` to that of the range before it. */
export type RecordedRange = Omit<ImportBatch, 'previousToken' | 'token' | 'lines'> & {
  /** All its rows were stored, in every view. */
  readonly done: boolean
}

export interface ImportLog {
  /** Started batches that follow a token. */
  following(previousToken: string): Promise<StartedBatch[]>
  /** Its ranges, the latest first. */
  find(token: string, previousToken: string): Promise<RecordedRange[]>
  /** Recorded before a batch's first insert. */
  start(batch: ImportBatch): Promise<void>
  /** Recorded after a batch's last insert. */
  finish(batch: ImportBatch, counts: { readonly reports: number; readonly stored: number }): Promise<void>
}
