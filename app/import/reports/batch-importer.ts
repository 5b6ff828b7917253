/** @module Imports one batch: its rows as insert blocks, between the steps of its ranges in the import log. */

import { hash } from 'node:crypto'
import { startedStepMs } from '../../../schema/durations.ts'
import { withRetry } from '../../program/with-retry.ts'
import type { ChainedBatch } from '../ndjson/read-batches.ts'
import type { Rejection } from '../ndjson/rejected-line.ts'
import { createUrlMask } from '../normalise/url-mask.ts'
import { batchRanges, type ImportSettings } from './batch-ranges.ts'
import { chooseSites } from './choose-site.ts'
import type { ReportWriter } from './clickhouse-report-writer.ts'
import type { ImportBatch, ImportLog, RecordedRange } from './import-log.ts'
import type { ImportTally } from './import-tally.ts'
import type { InsertBlock } from './insert-block.ts'
import type { NewValues } from './new-values.ts'
import { parseBatch } from './parse-batch.ts'
import type { Restorer } from './restore-reports.ts'

export interface BatchOptions {
  readonly tenantId: string
  readonly importLog: ImportLog
  readonly writer: ReportWriter
  readonly restorer: Restorer
  /** Without it new issues and scripts have no bound. */
  readonly newValues?: ImportedValues | undefined
  /** True on a cluster: after a lost replica, a repeated insert can leave rollups that differ from the reports. */
  readonly recountsRepeated?: boolean
  /** Site of every report in lines without one; by default chosen by host. */
  readonly siteId?: string | undefined
  readonly onReject?: (rejection: Rejection) => void | Promise<void>
  /** Ends the import between two batches; a live one ends with its source instead. */
  readonly signal?: AbortSignal | undefined
}

export interface ImportedValues extends Pick<NewValues, 'isKnown'> {
  /** Chunks of the block with at most the bound of new values. */
  bound(block: Pick<InsertBlock, 'chunks' | 'unknown'>): Promise<readonly Buffer[]>
}

type BatchRanges = ReturnType<typeof batchRanges>

export type BatchChain = Pick<ImportBatch, 'previousToken' | 'token' | 'lines'>

/** Bound of the importer's and ClickHouse's memory. */
const blockLimits = { rows: 65_535, bytes: 48 * 1024 * 1024 }

function contextOf({ tenantId, siteId, newValues }: BatchOptions, settings: ImportSettings, ranges: BatchRanges) {
  const { sites, retentionFrom } = settings
  const [{ hosts, importedAt }] = ranges as [BatchRanges[0]]
  const chooseSite = chooseSites(sites, siteId, hosts)
  const urlMasks = new Map(sites.map((site) => [site.id, createUrlMask(site)]))
  return { tenantId, blockLimits, retentionFrom, chooseSite, urlMasks, importedAt, ranges, isKnown: newValues?.isKnown }
}

export function createBatchImporter(options: BatchOptions, tally: ImportTally) {
  const { importLog, writer, restorer, newValues, signal, onReject = () => {} } = options
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
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
    const reportsBefore = tally.reports
    const open = ranges.filter(({ state }) => state !== 'done')
    const lookedUp = new Set(open.filter(({ state }) => state === 'restore'))
    let steppedAt = 0
    const logStarted = async (range: (typeof ranges)[number]) => {
      await importLog.start({ ...chain, ...range })
      steppedAt = performance.now()
    }
    for (const range of open) enqueue(() => logStarted(range))
    for await (const { block, range } of parseBatch(read, contextOf(options, settings, ranges), tally, onReject)) {
      const token = insertToken({ ...chain, ...range }, range.blocks++)
      range.stored += block.rows
      range.parts.push(...block.parts)
      // At most one block waits, so two are in memory.
      await writes
      let attempts = recorded.length > 0 ? 1 : 0
      // Equal at each attempt.
      let chunks: readonly Buffer[] | undefined
      enqueue(async () => {
        await importLog.checkBoot()
        if (performance.now() - steppedAt > startedStepMs) await logStarted(range)
        if (options.recountsRepeated && attempts++ > 0) lookedUp.add(range)
        chunks ??= (await newValues?.bound(block)) ?? block.chunks
        if (range.state !== 'restore') await writer.write(chunks, token)
        if (lookedUp.has(range)) tally.restored += await restorer.insertMissing({ ...block, chunks })
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

  return {
    importBatch,
    finishRestored,
    /** Resolves when the last write has ended. Rejects with its error. */
    written: (): Promise<void> => writes,
  }
}

/** Deduplication token of one insert of a batch's range. */
export function insertToken(batch: Pick<ImportBatch, 'token' | 'hosts' | 'storedFrom'>, block: number): string {
  return hash('sha256', `${batch.token}\n${batch.hosts.join('\n')}\n${batch.storedFrom}\n${block}`, 'hex')
}
