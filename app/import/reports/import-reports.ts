/** @module Imports reports batch by batch: reading the next rows overlaps the insert of the previous ones. */

import { hash } from 'node:crypto'
import { gatherDurations } from '../../../schema/durations.ts'
import { withRetry } from '../../program/with-retry.ts'
import { createBlockPace, type GatherLimits } from '../block-pace.ts'
import { type BatchLimits, type ByteSource, type ChainedBatch, readBatches } from '../ndjson/read-batches.ts'
import { type BatchChain, type BatchOptions, createBatchImporter } from './batch-importer.ts'
import { batchRanges, type ImportTenant, importSettings } from './batch-ranges.ts'
import type { StartedBatch } from './import-log.ts'
import { createTally, type ImportResult, type ImportTally } from './import-tally.ts'

export interface ImportOptions extends ImportTenant, BatchOptions {
  readonly source: ByteSource
  /** Receipt time of reports without one; now by default. */
  readonly importedAt?: Date
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called before each batch; a rejection ends the import. */
  readonly checkLease?: (() => Promise<void>) | undefined
  /**
   * Makes the import live: lines wait for 1 to 5 s (`block-pace.ts`), and count as received then if they have no time. Runs
   * each batch under the tenant's lease, with its settings at that time.
   */
  readonly withTenant?: ((importBatch: (tenant: ImportTenant) => Promise<void>) => Promise<void>) | undefined
  readonly limits?: BatchLimits
  /** Counts of the files before. */
  readonly tally?: ImportTally
}

export type ImportProgress = ImportResult & { readonly bytesRead: number }

/** About 42,000 ordinary reports per batch; JSON.parse briefly needs up to 60 times the bytes of a line. */
const defaultLimits: BatchLimits = { batchBytes: 34 * 1024 * 1024, maxLineBytes: 2 * 1024 * 1024 }

/** Limits for lines of a live import. */
const gatherLimits: GatherLimits = { gatherMs: gatherDurations.lineMs, longestGatherMs: gatherDurations.longestMs }

/**
 * Imports POSTs, one per line, in constant memory. A repeated run, also with a longer file, stores every report exactly
 * once. Throws the signal's reason, and ClickHouse's error after 83 seconds of retries.
 */
export async function importReports(options: ImportOptions): Promise<ImportResult> {
  const { source, tenantId, siteId, importLog, signal, withTenant, onProgress } = options
  const tally = options.tally ?? createTally()
  const pace = createBlockPace(gatherLimits)
  const limits = { ...(options.limits ?? defaultLimits), ...(withTenant && pace) }
  const reader = readBatches(source, limits, signal)
  const retried = <Result>(task: () => Promise<Result>) => withRetry(task, signal)
  const atStart = importSettings(options, siteId, options.importedAt ?? new Date())
  const { importBatch, finishRestored, written } = createBatchImporter(options, tally)

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
      pace.rest(startedAt, performance.now())
      onProgress?.({ ...tally.result(), bytesRead: read.bytesRead })
      previousToken = read.token
    }
  }

  try {
    await importBatches()
    await finishRestored()
  } finally {
    await Promise.allSettled([written(), reader.close()])
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
