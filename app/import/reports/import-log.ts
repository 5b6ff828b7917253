/** A batch of a file's lines, as the first run that began it imports it, and each later one again. */
export interface ImportBatch {
  /** Token of the batch before it in the file. */
  readonly previousToken: string
  /** Token of the batch. */
  readonly token: string
  /** Lines in the batch. */
  readonly lines: number
  /** Host patterns that choose the sites of its reports. */
  readonly hosts: readonly string[]
  /** Receipt time of reports that carry none, milliseconds since the epoch. */
  readonly importedAt: number
}

/** A batch that an earlier run began. */
export type KnownBatch = Pick<ImportBatch, 'token' | 'lines'>

/** What an earlier run recorded of a batch. */
export type RecordedBatch = Pick<ImportBatch, 'hosts' | 'importedAt'> & {
  /** Everything it sends is in the store and in every view. */
  readonly done: boolean
}

/** What earlier runs have sent, so that a run never sends a report twice nor leaves one half sent. */
export interface ImportLedger {
  /** Every batch that follows a token. */
  following(previousToken: string): Promise<KnownBatch[]>
  /** What is recorded of a batch that follows a token; undefined where nothing is. */
  find(token: string, previousToken: string): Promise<RecordedBatch | undefined>
  /** Records that a batch is about to be sent. */
  start(batch: ImportBatch): Promise<void>
  /** Records that a batch is in the store. */
  finish(batch: ImportBatch, counts: { readonly reports: number; readonly stored: number }): Promise<void>
}

/** Puts rows into the store. */
export interface ReportWriter {
  /**
   * One insert of lines of JSONCompactEachRow. The same token again changes nothing, but completes an insert that was
   * cut off.
   */
  write(rows: readonly Buffer[], token: string): Promise<void>
}
