import { retentionStart } from '../../schema/plans.ts'
import { firstToken, planPasses } from './batch-passes.ts'
import { chooseSites } from './choose-site.ts'
import { type ImportSite, sitesByPattern } from './host-patterns.ts'
import type { ImportLedger, ReportWriter } from './import-ledger.ts'
import { createTally, type ImportResult, type Rejection } from './import-tally.ts'
import { inTurn } from './in-turn.ts'
import { parseBatch } from './parse-batch.ts'
import { type BatchLimits, type ByteSource, readBatches } from './read-batches.ts'
import { type PartLimits, rowCollectors } from './row-parts.ts'
import { sendBatch } from './send-batch.ts'
import { withRetries } from './with-retries.ts'

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
  /** Hears of each rejection, in the file's order. */
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

/** Lines of about 42,000 ordinary reports; and more than any collector takes as one POST. */
const defaultLimits: BatchLimits = { batchBytes: 34 * 1024 * 1024, longestLine: 8 * 1024 * 1024 }

/** The most that an insert has, which bounds the memory of the importer and of the engine. */
const partLimits: PartLimits = { rows: 65_535, bytes: 26 * 1024 * 1024 }

/**
 * Imports a file of POSTs, one a line, in memory that does not grow with it (decisions, Where data comes from). A run
 * that is cut off and run again, on the same file or one that has grown, stores every report exactly once. Throws what
 * the store says when it cannot be written to for half a minute, and the signal's reason; what is done stays done.
 */
export async function importReports(options: ImportOptions): Promise<ImportResult> {
  const { source, tenantId, sites, siteId, retentionDays, ledger, writer, signal, onReject, onProgress } = options
  const now = options.importedAt ?? new Date()
  const importedAt = now.getTime()
  const context = {
    tenantId,
    retentionDays,
    retentionFrom: retentionStart(retentionDays, now).getTime(),
    chooseSite: chooseSites(sites, siteId),
    collectRows: rowCollectors(partLimits),
  }
  const hosts = siteId === undefined ? [...sitesByPattern(sites).keys()] : []
  const tally = createTally()
  const reader = readBatches(source, options.limits ?? defaultLimits)
  const retried = <Result>(task: () => Promise<Result>) => withRetries(task, signal)
  const [writing, recording] = [inTurn(), inTurn()]
  const destination = { ledger, writer, writing, recording, retried }

  async function reject(rejection: Rejection): Promise<void> {
    tally.rejected++
    await onReject?.(rejection)
  }

  async function importBatches(): Promise<void> {
    let token = firstToken(tenantId, siteId)
    for (;;) {
      signal?.throwIfAborted()
      const previous = token
      const known = await retried(() => ledger.following(previous))
      const batch = await reader.next(previous, known)
      if (!batch) return
      token = batch.token
      const sent = known.find((one) => one.token === batch.token)
      const earlier = sent ? await retried(() => ledger.passesOf(sent, previous)) : []
      const plan = planPasses(batch, previous, earlier, hosts, importedAt)
      const sender = sendBatch(plan, destination)
      const reportsBefore = tally.reports
      for await (const part of parseBatch(batch, plan, context, tally, reject)) await sender.part(part)
      sender.end(tally.reports - reportsBefore)
      onProgress?.({ ...tally.result(), bytesRead: batch.bytesRead })
    }
  }

  try {
    await importBatches()
    await writing.end()
    await recording.end()
  } finally {
    await Promise.allSettled([writing.end(), recording.end(), reader.close()])
  }
  return tally.result()
}
