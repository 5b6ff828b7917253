import { hash } from 'node:crypto'
import { retentionStart } from '../../../schema/plans.ts'
import { type BatchLimits, type ByteSource, type ChainedBatch, readBatches } from '../ndjson/read-batches.ts'
import type { Rejection } from '../ndjson/rejected-line.ts'
import { type ImportSite, sitesByPattern } from '../normalise/host-patterns.ts'
import { withRetry } from '../with-retry.ts'
import { chooseSites } from './choose-site.ts'
import type { ReportWriter } from './clickhouse-report-writer.ts'
import type { ImportBatch, ImportLog, RecordedRange } from './import-log.ts'
import { createTally, type ImportResult } from './import-tally.ts'
import { parseBatch } from './parse-batch.ts'

/** Imports reports batch by batch: reading the next rows overlaps the insert of the ones before. */

export interface ImportOptions {
  readonly source: ByteSource
  readonly tenantId: string
  readonly sites: readonly ImportSite[]
  readonly retentionDays: number
  readonly importLog: ImportLog
  readonly writer: ReportWriter
  /** Site of every report whose line names none; hosts choose by default. */
  readonly siteId?: string | undefined
  /** Receipt time of reports without one; now by default. */
  readonly importedAt?: Date
  readonly onReject?: (rejection: Rejection) => void | Promise<void>
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called before each batch; a rejection ends the import. */
  readonly checkLease?: () => Promise<void>
  /** Ends the import between two batches. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: BatchLimits
}

export type ImportProgress = ImportResult & { readonly bytesRead: number }

/** About 42,000 ordinary reports a batch; JSON.parse briefly takes up to 60 times the bytes of a line. */
const defaultLimits: BatchLimits = { batchBytes: 34 * 1024 * 1024, maxLineBytes: 2 * 1024 * 1024 }

/** Bound of the importer's and ClickHouse's memory. */
const blockLimits = { rows: 65_535, bytes: 48 * 1024 * 1024 }

/**
 * Imports POSTs, one a line, in constant memory. A repeated run, also of a longer file, stores every report exactly once.
 * Throws the signal's reason, and ClickHouse's error after 43 seconds of retries.
 */
export async function importReports(options: ImportOptions): Promise<ImportResult> {
  const { source, tenantId, sites, siteId, retentionDays, importLog, writer, signal, onProgress } = options
  const onReject = options.onReject ?? (() => {})
  const now = options.importedAt ?? new Date()
  const hosts = siteId === undefined ? [...sitesByPattern(sites).keys()].sort() : []
  const tally = createTally()
  const reader = readBatches(source, options.limits ?? defaultLimits, signal)
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
  const retentionFrom = retentionStart(retentionDays, now).getTime()
  const context = { tenantId, retentionFrom, blockLimits }
  // A serial queue: one write runs while the rows after it are parsed.
  let writes: Promise<void> = Promise.resolve()

  function enqueue(task: () => Promise<void>): void {
    writes = writes.then(() => retried(task))
    // The next await throws the error; without this handler it would end the process.
    writes.catch(() => {})
  }

  /** Every range of a batch, with a new one where retention reaches further back than before. */
  function rangesOf(recorded: readonly RecordedRange[]) {
    const isReached = recorded.some(({ storedFrom }) => storedFrom <= retentionFrom)
    const { hosts: firstHosts, importedAt } = recorded[0] ?? { hosts, importedAt: now.getTime() }
    const begun = { hosts: firstHosts, importedAt, storedFrom: retentionFrom, retentionDays, done: false }
    return [...recorded, ...(isReached ? [] : [begun])].map((range) => ({
      ...range,
      expiredBefore: retentionStart(range.retentionDays, now).getTime(),
      blocks: 0,
      stored: 0,
    }))
  }

  async function importBatch(
    read: ChainedBatch,
    chain: Pick<ImportBatch, 'previousToken' | 'token' | 'lines'>,
    ranges: ReturnType<typeof rangesOf>,
  ): Promise<void> {
    const [{ hosts, importedAt }] = ranges as [(typeof ranges)[0]]
    const chooseSite = chooseSites(sites, siteId, hosts)
    const reportsBefore = tally.reports
    const open = ranges.filter(({ done }) => !done)
    for (const range of open) enqueue(() => importLog.start({ ...chain, ...range }))
    const batchContext = { ...context, chooseSite, importedAt, ranges }
    for await (const { block, range } of parseBatch(read, batchContext, tally, onReject)) {
      const token = insertToken({ ...chain, ...range }, range.blocks++)
      range.stored += block.rows
      // At most one block waits, so that two are in memory.
      await writes
      enqueue(() => writer.write(block.chunks, token))
    }
    const reports = tally.reports - reportsBefore
    // A batch without rows is recorded too: a longer file must end its batch there again.
    for (const range of open) enqueue(() => importLog.finish({ ...chain, ...range }, { reports, stored: range.stored }))
  }

  async function importBatches(): Promise<void> {
    for (let previousToken = firstToken(tenantId, siteId); ; ) {
      signal?.throwIfAborted()
      const previous = previousToken
      if (options.checkLease) await retried(options.checkLease)
      const started = await retried(() => importLog.following(previous))
      const read = await reader.next(previous, started)
      if (!read) {
        signal?.throwIfAborted()
        return
      }
      const { token, ends } = read
      const recorded = started.some((one) => one.token === token)
        ? await retried(() => importLog.find(token, previous))
        : []
      await importBatch(read, { previousToken, token, lines: ends.length }, rangesOf(recorded))
      onProgress?.({ ...tally.result(), bytesRead: read.bytesRead })
      previousToken = token
    }
  }

  try {
    await importBatches()
    await writes
  } finally {
    await Promise.allSettled([writes, reader.close()])
  }
  return tally.result()
}

/** Token before the first batch; `v2` changes whenever the same lines would make other rows. */
export function firstToken(tenantId: string, siteId: string | undefined): string {
  return hash('sha256', `reports v2\n${tenantId}\n${siteId ?? ''}\n`, 'hex')
}

/** Deduplication token of one insert of a batch's range. */
export function insertToken(batch: Pick<ImportBatch, 'token' | 'hosts' | 'storedFrom'>, block: number): string {
  return hash('sha256', `${batch.token}\n${batch.hosts.join('\n')}\n${batch.storedFrom}\n${block}`, 'hex')
}
