import type { StoredReport } from '../../schema/stored-report.ts'
import { toInsertLine } from '../import/reports/insert-block.ts'
import { type BlockSenderOptions, createBlockSender } from './block-sender.ts'
import { createByteQuota } from './byte-quota.ts'
import { overloaded, unavailable } from './collector-error.ts'

/**
 * Gathers reports of all sites into blocks and inserts them one after the other. Where one fails, the posts that wait get
 * a 503, and no others are accepted until ClickHouse takes writes again.
 */

export interface BlockLimits {
  /** Longest wait of a report until its block is due. */
  readonly milliseconds: number
  /** Longest wait of a block that is due for those before it; then its posts are refused, of which nothing was sent. */
  readonly queueMilliseconds: number
  readonly reports: number
  /** Bytes of rows. */
  readonly bytes: number
  /** Bytes of rows that wait, beyond which posts are refused; those of a site beyond a quarter. */
  readonly waitingBytes: number
  /** Time after a failed insert for which the store is not ready, where none has succeeded since. */
  readonly failureMilliseconds: number
}

export const blockLimits: BlockLimits = {
  milliseconds: 500,
  queueMilliseconds: 15_000,
  reports: 20_000,
  bytes: 8 * 1024 * 1024,
  waitingBytes: 64 * 1024 * 1024,
  failureMilliseconds: 10_000,
}

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
  readonly tenantIds: Set<string>
  readonly bytesOfSites: Map<string, number>
  readonly rows: Buffer[]
  readonly stored: Promise<void>
  /** Ends `stored`, with an error where they are not. */
  end(error?: Error): void
  readonly timers: readonly NodeJS.Timeout[]
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
  // A serial queue.
  let writes: Promise<void> = Promise.resolve()
  let failedAt = -Infinity
  let closed = false

  function openBlock(): Block {
    let end: Block['end'] = () => {}
    const stored = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve())
    })
    const timers = [
      setTimeout(() => enqueue(block), limits.milliseconds),
      setTimeout(() => refuse(block), limits.milliseconds + limits.queueMilliseconds),
    ]
    const block: Block = {
      ...{ tenantIds: new Set(), bytesOfSites: new Map(), rows: [], stored, end, timers, reports: 0, bytes: 0 },
    }
    waiting.push(block)
    return block
  }

  const isFull = ({ reports, bytes }: Block) => reports >= limits.reports || bytes >= limits.bytes

  function enqueue(block: Block): void {
    writes = writes.then(() => write(block))
  }

  /** False for a block that is written, or was, or failed with an earlier one. */
  function takeFromQueue(block: Block): boolean {
    for (const timer of block.timers) clearTimeout(timer)
    const isWaiting = waiting.includes(block)
    if (isWaiting) waiting.splice(waiting.indexOf(block), 1)
    return isWaiting
  }

  function refuse(block: Block): void {
    if (takeFromQueue(block)) end(block, overloaded())
  }

  async function write(block: Block): Promise<void> {
    if (!takeFromQueue(block)) return
    const { tenantIds, rows, reports, bytes } = block
    const startedAt = performance.now()
    try {
      await sender.send([...tenantIds], Buffer.concat(rows))
      end(block)
      failedAt = -Infinity
      onFlush({ reports, bytes, milliseconds: performance.now() - startedAt })
    } catch (error) {
      failedAt = performance.now()
      // Each of the others would wait for a timeout of its own.
      for (const failed of [block, ...waiting.splice(0)]) end(failed, unavailable(error))
    }
  }

  function end(block: Block, error?: Error): void {
    for (const timer of block.timers) clearTimeout(timer)
    for (const [siteId, bytes] of block.bytesOfSites) quota.release(siteId, bytes)
    block.end(error)
  }

  return {
    /** Resolves when ClickHouse has the reports of one site and their rollups. Rejects with CollectorError(503). */
    store(reports: readonly StoredReport[]): Promise<void> {
      if (closed || sender.isRecovering()) return Promise.reject(unavailable())
      const siteId = reports[0]?.siteId ?? ''
      if (quota.isFull(siteId)) return Promise.reject(overloaded())
      const last = waiting.at(-1)
      const block = last && !isFull(last) ? last : openBlock()
      const rows = Buffer.from(reports.map(toInsertLine).join(''))
      quota.add(siteId, rows.length)
      block.bytesOfSites.set(siteId, (block.bytesOfSites.get(siteId) ?? 0) + rows.length)
      for (const { tenantId } of reports) block.tenantIds.add(tenantId)
      block.rows.push(rows)
      block.reports += reports.length
      block.bytes += rows.length
      if (isFull(block)) enqueue(block)
      return block.stored
    },
    waitingBytes: quota.total,
    isReady: () => !sender.isRecovering(),
    /** False for a while after a failed insert; posts are accepted, which finds whether the next one fails. */
    takesInserts: () => performance.now() - failedAt > limits.failureMilliseconds,
    /** Whether the folder of its blocks can be written. */
    canSpool: () =>
      options.spool.probe().then(
        () => true,
        () => false,
      ),
    /** Sends the blocks again that a killed collector left; `isReady` is false until they are stored. */
    sendLeftovers: sender.sendLeftovers,
    /** Stores what waits. */
    async close(): Promise<void> {
      closed = true
      for (const block of waiting) enqueue(block)
      await writes
      await sender.close()
    },
  }
}
