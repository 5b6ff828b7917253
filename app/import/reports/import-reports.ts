/** @module Imports reports batch by batch: reading the next rows overlaps the insert of the previous ones. */

import { hash } from 'node:crypto'
import { gatherDurations, startedStepMs } from '../../../schema/durations.ts'
import { withRetry } from '../../program/with-retry.ts'
import { type BlockTimes, dueAt, type GatherLimits } from '../due-at.ts'
import { type BatchLimits, type ByteSource, type ChainedBatch, readBatches } from '../ndjson/read-batches.ts'
import type { Rejection } from '../ndjson/rejected-line.ts'
import { createUrlMask } from '../normalise/url-mask.ts'
import { batchRanges, type ImportSettings, type ImportTenant, importSettings } from './batch-ranges.ts'
import { chooseSites } from './choose-site.ts'
import type { ReportWriter } from './clickhouse-report-writer.ts'
import type { ImportBatch, ImportLog, RecordedRange, StartedBatch } from './import-log.ts'
import { createTally, type ImportResult, type ImportTally } from './import-tally.ts'
import { parseBatch } from './parse-batch.ts'
import type { Restorer } from './restore-reports.ts'

export interface ImportOptions extends ImportTenant {
  readonly source: ByteSource
  readonly tenantId: string
  readonly importLog: ImportLog
  readonly writer: ReportWriter
  readonly restorer: Restorer
  /** True on a cluster: after a lost replica, a repeated insert can leave rollups that differ from the reports. */
  readonly recountsRepeated?: boolean
  /** Site of every report in lines without one; by default chosen by host. */
  readonly siteId?: string | undefined
  /** Receipt time of reports without one; now by default. */
  readonly importedAt?: Date
  readonly onReject?: (rejection: Rejection) => void | Promise<void>
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called before each batch; a rejection ends the import. */
  readonly checkLease?: (() => Promise<void>) | undefined
  /**
   * Makes the import live: lines wait for 1 to 5 s (`due-at.ts`), and count as received then if they have no time. Runs
   * each batch under the tenant's lease, with its settings at that time.
   */
  readonly withTenant?: ((importBatch: (tenant: ImportTenant) => Promise<void>) => Promise<void>) | undefined
  /** Ends the import between two batches; a live one ends with its source instead. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: BatchLimits
  /** Counts of the files before. */
  readonly tally?: ImportTally
}

type BatchChain = Pick<ImportBatch, 'previousToken' | 'token' | 'lines'>

export type ImportProgress = ImportResult & { readonly bytesRead: number }

/** About 42,000 ordinary reports per batch; JSON.parse briefly needs up to 60 times the bytes of a line. */
const defaultLimits: BatchLimits = { batchBytes: 34 * 1024 * 1024, maxLineBytes: 2 * 1024 * 1024 }

/** Limits for lines of a live import. */
const gatherLimits: GatherLimits = { gatherMs: gatherDurations.lineMs, longestGatherMs: gatherDurations.longestMs }

/** Bound of the importer's and ClickHouse's memory. */
const blockLimits = { rows: 65_535, bytes: 48 * 1024 * 1024 }

/**
 * Imports POSTs, one per line, in constant memory. A repeated run, also with a longer file, stores every report exactly
 * once. Throws the signal's reason, and ClickHouse's error after 83 seconds of retries.
 */
export async function importReports(options: ImportOptions): Promise<ImportResult> {
  const { source, tenantId, siteId, importLog, writer, restorer, signal, withTenant, onProgress } = options
  const onReject = options.onReject ?? (() => {})
  const tally = options.tally ?? createTally()
  let last: BlockTimes = { startedAt: 0, endedAt: 0 }
  const live = { dueAt: (firstLineAt: number) => dueAt(firstLineAt, last, gatherLimits) }
  const limits = { ...(options.limits ?? defaultLimits), ...(withTenant && live) }
  const reader = readBatches(source, limits, signal)
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
  const atStart = importSettings(options, siteId, options.importedAt ?? new Date())
  // A serial queue: one write runs while the rows after it are parsed.
  let writes: Promise<void> = Promise.resolve()
  /** Ends of ranges whose rows were looked for: they are done when the rollups of all their days are counted. */
  let restored: (() => Promise<void>)[] = []

  function enqueue(task: () => Promise<void>): void {
    writes = writes.then(() => retried(task))
    // The next await throws the error; without this handler it would end the process.
    writes.catch(() => {})
  }

  async function importBatch(
    read: ChainedBatch,
    chain: BatchChain,
    recorded: readonly RecordedRange[],
    settings: ImportSettings,
  ) {
    const ranges = batchRanges(recorded, settings)
    const [{ hosts, importedAt }] = ranges as [(typeof ranges)[0]]
    const chooseSite = chooseSites(settings.sites, siteId, hosts)
    const reportsBefore = tally.reports
    const open = ranges.filter(({ state }) => state !== 'done')
    const lookedUp = new Set(open.filter(({ state }) => state === 'restore'))
    let steppedAt = 0
    const logStarted = async (range: (typeof ranges)[number]) => {
      await importLog.start({ ...chain, ...range })
      steppedAt = performance.now()
    }
    for (const range of open) enqueue(() => logStarted(range))
    const { retentionFrom } = settings
    const urlMasks = new Map(settings.sites.map((site) => [site.id, createUrlMask(site)]))
    const batchContext = { tenantId, blockLimits, retentionFrom, chooseSite, urlMasks, importedAt, ranges }
    for await (const { block, range } of parseBatch(read, batchContext, tally, onReject)) {
      const token = insertToken({ ...chain, ...range }, range.blocks++)
      range.stored += block.rows
      range.parts.push(...block.parts)
      // At most one block waits, so two are in memory.
      await writes
      let attempts = recorded.length > 0 ? 1 : 0
      enqueue(async () => {
        await importLog.checkBoot()
        if (performance.now() - steppedAt > startedStepMs) await logStarted(range)
        if (options.recountsRepeated && attempts++ > 0) lookedUp.add(range)
        if (range.state !== 'restore') await writer.write(block.chunks, token)
        if (lookedUp.has(range)) tally.restored += await restorer.insertMissing(block)
      })
    }
    const reports = tally.reports - reportsBefore
    // A batch without rows is recorded too: a longer file must end its batch there again.
    for (const range of open) {
      const { stored, parts } = range
      const finish = () => importLog.finish({ ...chain, ...range }, { reports, stored, parts })
      // Here the range's blocks are stored, so that it is known whether one was looked up.
      enqueue(async () => (lookedUp.has(range) ? void restored.push(finish) : finish()))
    }
  }

  async function finishRestored(): Promise<void> {
    await writes
    if (restored.length === 0) return
    await retried(restorer.recount)
    for (const finish of restored) await retried(finish)
    restored = []
  }

  async function recordedRanges({ token, previousToken }: BatchChain, started: readonly StartedBatch[]) {
    const isStarted = started.some((one) => one.token === token)
    return isStarted ? retried(() => importLog.find(token, previousToken)) : []
  }

  /**
   * The lease prevents other imports from beginning a batch; a batch begun after `started` was read can have the same
   * lines.
   */
  async function importLiveBatch(
    read: ChainedBatch,
    chain: BatchChain,
    started: readonly StartedBatch[],
    tenant: ImportTenant,
  ) {
    const latest = await retried(() => importLog.following(chain.previousToken))
    const known = new Set([chain, ...started].map(({ token }) => token))
    if (latest.some(({ token }) => !known.has(token))) {
      throw new Error('Another import reads the same lines: stop one of them and run this command again')
    }
    await importBatch(read, chain, await recordedRanges(chain, latest), importSettings(tenant, siteId, new Date()))
    await finishRestored()
  }

  async function importBatches(): Promise<void> {
    const opening = await reader.opening()
    for (let previousToken = firstToken(tenantId, siteId, opening); ; ) {
      if (!withTenant) signal?.throwIfAborted()
      const previous = previousToken
      if (options.checkLease) await retried(options.checkLease)
      const started = await retried(() => importLog.following(previous))
      const read = await reader.next(previous, started)
      if (!read) {
        if (!withTenant) signal?.throwIfAborted()
        return
      }
      const chain = { previousToken, token: read.token, lines: read.ends.length }
      const recorded = await recordedRanges(chain, started)
      const isDone = batchRanges(recorded, atStart).every(({ state }) => state === 'done')
      const startedAt = performance.now()
      if (withTenant && !isDone) await withTenant((tenant) => importLiveBatch(read, chain, started, tenant))
      else await importBatch(read, chain, recorded, atStart)
      last = { startedAt, endedAt: performance.now() }
      onProgress?.({ ...tally.result(), bytesRead: read.bytesRead })
      previousToken = read.token
    }
  }

  try {
    await importBatches()
    await finishRestored()
  } finally {
    await Promise.allSettled([writes, reader.close()])
  }
  return tally.result()
}

/**
 * Token before the first batch, shared only by files with the same first line, whose digest is `opening`. `v2` changes
 * if the same lines would give other rows.
 */
export function firstToken(tenantId: string, siteId: string | undefined, opening = ''): string {
  return hash('sha256', `reports v2\n${tenantId}\n${siteId ?? ''}\n${opening}\n`, 'hex')
}

/** Deduplication token of one insert of a batch's range. */
export function insertToken(batch: Pick<ImportBatch, 'token' | 'hosts' | 'storedFrom'>, block: number): string {
  return hash('sha256', `${batch.token}\n${batch.hosts.join('\n')}\n${batch.storedFrom}\n${block}`, 'hex')
}
