/**
 * @module Gathers reports of all sites into blocks and inserts them one after the other. Where one fails, the posts
 * that wait get a 503, and no others are accepted until ClickHouse takes writes again.
 */

import type { StoredReport } from '../../schema/stored-report.ts'
import { type BlockTimes, dueAt } from '../import/due-at.ts'
import { toInsertLine } from '../import/reports/insert-block.ts'
import { type BlockLimits, blockLimits } from './block-limits.ts'
import { createBlockSender } from './block-sender.ts'
import type { BlockSenderOptions } from './block-sender-options.ts'
import { createByteQuota } from './byte-quota.ts'
import { overloaded, unavailable } from './collector-error.ts'

export interface Flush {
  readonly reports: number
  readonly bytes: number
  readonly milliseconds: number
}

export interface ReportStoreOptions extends BlockSenderOptions {
  readonly limits?: Partial<BlockLimits>
  readonly onFlush?: (flush: Flush) => void
}

interface Block {
  readonly openedAt: number
  readonly tenantIds: Set<string>
  readonly bytesOfSites: Map<string, number>
  readonly rows: Buffer[]
  readonly stored: Promise<void>
  /** Ends `stored`, with an error where they are not. */
  end(error?: Error): void
  readonly refusal: NodeJS.Timeout
  reports: number
  bytes: number
}

export type ReportStore = ReturnType<typeof createReportStore>

export function createReportStore({ onFlush = () => {}, ...options }: ReportStoreOptions) {
  const limits = { ...blockLimits, ...options.limits }
  const sender = createBlockSender(options)
  /** Oldest first. The last one fills until its insert begins. */
  const waiting: Block[] = []
  const quota = createByteQuota(limits.waitingBytes)
  let writing: Promise<void> | undefined
  let last: BlockTimes = { startedAt: 0, endedAt: 0 }
  let dueTimer: NodeJS.Timeout | undefined
  let failedAt = -Infinity
  let isHurried = false
  let closed = false

  function openBlock(): Block {
    let end: Block['end'] = () => {}
    const stored = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve())
    })
    const openedAt = performance.now()
    const refusal = setTimeout(() => refuse(block), limits.queueTimeoutMs)
    const contents = { tenantIds: new Set<string>(), bytesOfSites: new Map<string, number>(), rows: [] }
    const block: Block = { openedAt, stored, end, refusal, reports: 0, bytes: 0, ...contents }
    waiting.push(block)
    return block
  }

  const isFull = ({ reports, bytes }: Block) => reports >= limits.reports || bytes >= limits.bytes

  /** Writes the oldest block when it is due and the one before it has ended. */
  function schedule(): void {
    clearTimeout(dueTimer)
    const [block] = waiting
    if (!block || writing) return
    const wait = dueAt(block.openedAt, last, limits) - performance.now()
    const isDue = wait <= 0 || isHurried || isFull(block) || block.rows.length >= limits.posts
    if (isDue) begin(block)
    else dueTimer = setTimeout(() => begin(block), wait)
  }

  /** Makes every block due at once, as of a program that stops. */
  function hurry(): void {
    isHurried = true
    schedule()
  }

  function begin(block: Block): void {
    takeFromQueue(block)
    writing = write(block).then(() => {
      writing = undefined
      schedule()
    })
  }

  /** False for a block that began, or failed with an earlier one. */
  function takeFromQueue(block: Block): boolean {
    const isWaiting = waiting.includes(block)
    if (isWaiting) waiting.splice(waiting.indexOf(block), 1)
    return isWaiting
  }

  function refuse(block: Block): void {
    if (takeFromQueue(block)) end(block, overloaded())
    schedule()
  }

  async function write(block: Block): Promise<void> {
    clearTimeout(block.refusal)
    const { tenantIds, rows, reports, bytes } = block
    const startedAt = performance.now()
    try {
      await sender.send([...tenantIds], Buffer.concat(rows))
      end(block)
      failedAt = -Infinity
      last = { startedAt, endedAt: performance.now() }
      onFlush({ reports, bytes, milliseconds: last.endedAt - startedAt })
    } catch (error) {
      failedAt = performance.now()
      // Each of the others would wait for a timeout of its own.
      for (const failed of [block, ...waiting.splice(0)]) end(failed, unavailable(error))
    }
  }

  function end(block: Block, error?: Error): void {
    clearTimeout(block.refusal)
    for (const [siteId, bytes] of block.bytesOfSites) quota.release(siteId, bytes)
    block.end(error)
  }

  return {
    /** Resolves when ClickHouse has the reports of one site and their rollups. Rejects with CollectorError(503). */
    store(reports: readonly StoredReport[]): Promise<void> {
      if (closed || sender.isRecovering()) return Promise.reject(unavailable())
      const siteId = reports[0]?.siteId ?? ''
      if (quota.isFull(siteId)) return Promise.reject(overloaded())
      const newest = waiting.at(-1)
      const block = newest && !isFull(newest) ? newest : openBlock()
      const rows = Buffer.from(reports.map(toInsertLine).join(''))
      quota.add(siteId, rows.length)
      block.bytesOfSites.set(siteId, (block.bytesOfSites.get(siteId) ?? 0) + rows.length)
      for (const { tenantId } of reports) block.tenantIds.add(tenantId)
      block.rows.push(rows)
      block.reports += reports.length
      block.bytes += rows.length
      schedule()
      return block.stored
    },
    waitingBytes: quota.total,
    isReady: () => !sender.isRecovering(),
    isRestoring: sender.isRestoring,
    /** False for a while after a failed insert; posts are accepted, which finds whether the next one fails. */
    takesInserts: () => performance.now() - failedAt > limits.failureMs,
    /** Whether the folder of its blocks can be written. */
    canSpool: () =>
      options.spool.probe().then(
        () => true,
        () => false,
      ),
    /** Sends the blocks again that a killed collector left; `isReady` is false until they are stored. */
    sendLeftovers: sender.sendLeftovers,
    hurry,
    /** Stores what waits. */
    async close(): Promise<void> {
      closed = true
      hurry()
      while (writing) await writing
      await sender.close()
    },
  }
}
