/**
 * One sending of a batch. A batch has a second one when, after the first, the tenant's sites gained hosts: then it
 * sends the reports that were rejected before, and only those.
 */
export interface BatchPass {
  /** Token of the batch before it in the file. */
  readonly previousToken: string
  /** Token of the batch. */
  readonly token: string
  /** Lines in the batch. */
  readonly lines: number
  /** Host patterns of the tenant's sites that this pass was the first to know. */
  readonly hosts: readonly string[]
  /** Receipt time of reports that carry none, milliseconds since the epoch. */
  readonly importedAt: number
}

/** A batch that an earlier run began. */
export interface KnownBatch {
  /** Token of the batch. */
  readonly token: string
  /** Lines in the batch. */
  readonly lines: number
}

/** A pass that the ledger knows. */
export interface KnownPass extends BatchPass {
  /** Everything it sends is in the store and in every view. */
  readonly done: boolean
}

/** What earlier runs have sent, so that a run never sends a report twice nor leaves one half sent. */
export interface ImportLedger {
  /** Every batch that follows a token. */
  following(previousToken: string): Promise<KnownBatch[]>
  /** The passes of a batch that follows a token, in the order they were begun. */
  passesOf(batch: KnownBatch, previousToken: string): Promise<KnownPass[]>
  /** Records that a pass is about to be sent. */
  start(pass: BatchPass): Promise<void>
  /** Records that a pass is in the store. `reports` are the batch's, `stored` the pass's. */
  finish(pass: BatchPass, counts: { readonly reports: number; readonly stored: number }): Promise<void>
}

/** Puts rows into the store. */
export interface ReportWriter {
  /**
   * One insert of a block in ClickHouse's Native format. The same token again changes nothing, but completes
   * an insert that was cut off.
   */
  write(rows: readonly Buffer[], token: string): Promise<void>
}
