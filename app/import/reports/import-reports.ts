import { hash } from 'node:crypto'
import { retentionStart } from '../../../schema/plans.ts'
import { type BatchLimits, type ByteSource, type ChainedBatch, readBatches } from '../ndjson/read-batches.ts'
import type { Rejection } from '../ndjson/rejected-line.ts'
import { type ImportSite, sitesByPattern } from '../normalise/host-patterns.ts'
import { withRetry } from '../with-retry.ts'
import { chooseSites } from './choose-site.ts'
import type { ImportBatch, ImportLedger, ReportWriter } from './import-log.ts'
import { createTally, type ImportResult } from './import-tally.ts'
import { parseBatch } from './parse-batch.ts'

export interface ImportOptions {
  readonly source: ByteSource
  readonly tenantId: string
  /** Of the tenant. */
  readonly sites: readonly ImportSite[]
  /** The tenant's. */
  readonly retentionDays: number
  readonly ledger: ImportLedger
  readonly writer: ReportWriter
  /** The site of every report whose line names none; otherwise hosts choose. */
  readonly siteId?: string | undefined
  /** Receipt time of reports that carry none, now by default. */
  readonly importedAt?: Date
  /** Hears of each line of which something is rejected, in the file's order. */
  readonly onReject?: (rejection: Rejection) => void | Promise<void>
  /** Hears of each batch as it is read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Ends the import between two batches; run again, it goes on. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: BatchLimits
}

/** How far an import is. */
export interface ImportProgress extends ImportResult {
  /** Of the source. */
  readonly bytesRead: number
}

/** Lines of about 42,000 ordinary reports. JSON.parse takes up to sixty times the bytes of a line for a moment. */
const defaultLimits: BatchLimits = { batchBytes: 34 * 1024 * 1024, longestLine: 2 * 1024 * 1024 }

/** The most that an insert has, which bounds the memory of the importer and of the engine. */
const blockLimits = { rows: 65_535, bytes: 48 * 1024 * 1024 }

/**
 * Imports a file of POSTs, one a line, in memory that does not grow with it (decisions, Where data comes from). A run
 * that is cut off and run again, on the same file or one that has grown, stores every report exactly once. Throws the
 * error of ClickHouse when it cannot be written to for half a minute, and the signal's reason; what is done stays done.
 */
export async function importReports(options: ImportOptions): Promise<ImportResult> {
  const { source, tenantId, sites, siteId, retentionDays, ledger, writer, signal, onProgress } = options
  const onReject = options.onReject ?? (() => {})
  const now = options.importedAt ?? new Date()
  const hosts = siteId === undefined ? [...sitesByPattern(sites).keys()].sort() : []
  const tally = createTally()
  const reader = readBatches(source, options.limits ?? defaultLimits)
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
  const context = { tenantId, retentionDays, retentionFrom: retentionStart(retentionDays, now).getTime(), blockLimits }
  // Writes run one after the other, each beside the parsing of the rows behind it.
  let writing: Promise<void> = Promise.resolve()

  function queue(task: () => Promise<void>): void {
    writing = writing.then(() => retried(task))
    // The next await of it throws; without this handler it would end the process before.
    writing.catch(() => {})
  }

  async function importBatch(read: ChainedBatch, batch: ImportBatch, done: boolean): Promise<void> {
    const chooseSite = chooseSites(sites, siteId, batch.hosts)
    const reportsBefore = tally.reports
    let [blocks, stored] = [0, 0]
    if (!done) queue(() => ledger.start(batch))
    for await (const block of parseBatch(
      read,
      { ...context, chooseSite, importedAt: batch.importedAt, done },
      tally,
      onReject,
    )) {
      const token = insertToken(batch, blocks++)
      stored += block.rows
      // One block waits at most, and the memory of the one before it is free.
      await writing
      queue(() => writer.write(block.chunks, token))
    }
    const counts = { reports: tally.reports - reportsBefore, stored }
    // A batch without rows is recorded too, because it ends where a longer file's batch would not.
    if (!done) queue(() => ledger.finish(batch, counts))
  }

  async function importBatches(): Promise<void> {
    for (let previousToken = firstToken(tenantId, siteId); ; ) {
      signal?.throwIfAborted()
      const previous = previousToken
      const known = await retried(() => ledger.following(previous))
      const read = await reader.next(previous, known)
      if (!read) return
      const { token, ends } = read
      const recorded = known.some((one) => one.token === token)
        ? await retried(() => ledger.find(token, previous))
        : undefined
      const { done, ...first } = recorded ?? { hosts, importedAt: now.getTime(), done: false }
      await importBatch(read, { previousToken, token, lines: ends.length, ...first }, done)
      onProgress?.({ ...tally.result(), bytesRead: read.bytesRead })
      previousToken = token
    }
  }

  try {
    await importBatches()
    await writing
  } finally {
    await Promise.allSettled([writing, reader.close()])
  }
  return tally.result()
}

/** The token before the first batch; `v1` changes whenever the same lines would make other rows. */
export function firstToken(tenantId: string, siteId: string | undefined): string {
  return hash('sha256', `reports v1\n${tenantId}\n${siteId ?? ''}\n`, 'hex')
}

/** The deduplication token of one insert of a batch. */
export function insertToken(batch: Pick<ImportBatch, 'token' | 'hosts'>, block: number): string {
  return hash('sha256', `${batch.token}\n${batch.hosts.join('\n')}\n${block}`, 'hex')
}
