import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { toInsertLine } from '../import/reports/insert-block.ts'
import { withRetry } from '../import/with-retry.ts'
import { overloaded, unavailable } from './collector-error.ts'
import type { Spool, SpooledBlock } from './spool.ts'

/**
 * Gathers reports of all sites into blocks and inserts them one after the other. An insert that fails may be half
 * stored: its posts get a 503, and no others are accepted until it has been sent again.
 */

export interface BlockLimits {
  /** Longest wait of a report for its block. */
  readonly milliseconds: number
  readonly reports: number
  /** Bytes of rows. */
  readonly bytes: number
  /** Bytes of rows that wait, beyond which posts are refused. */
  readonly waitingBytes: number
}

const defaultLimits: BlockLimits = {
  milliseconds: 500,
  reports: 20_000,
  bytes: 8 * 1024 * 1024,
  waitingBytes: 64 * 1024 * 1024,
}

/** Records that a step of a block has begun or is done, which changes its tenants' import versions. */
export type LogSteps = (tenantIds: readonly string[], stepToken: string, state: 'started' | 'done') => Promise<void>

export interface Flush {
  readonly reports: number
  readonly bytes: number
  readonly milliseconds: number
}

export interface ReportStoreOptions {
  readonly writer: ReportWriter
  readonly logSteps: LogSteps
  readonly spool: Spool
  readonly limits?: Partial<BlockLimits>
  readonly onFlush?: (flush: Flush) => void
  /** Called when a block could not be stored, and without an error when it was. */
  readonly onOutage?: (error: Error | undefined) => void
}

interface Block {
  readonly tenantIds: Set<string>
  readonly rows: Buffer[]
  readonly stored: Promise<void>
  /** Ends `stored`, with an error where they are not. */
  end(error?: Error): void
  reports: number
  bytes: number
}

/** 5 s of waits, in which an engine that died restarts. */
const waits = { retries: 6, minTimeout: 100, factor: 2, maxTimeout: 2_000 }
const insertTimeoutMs = 10_000
const resendPauseMs = 1_000

export function createReportStore(options: ReportStoreOptions) {
  const { writer, logSteps, spool, onFlush = () => {}, onOutage = () => {} } = options
  const limits = { ...defaultLimits, ...options.limits }
  const stepToken = `collector ${randomUUID()}`
  const closing = new AbortController()
  /** Tenants whose last step is not done: they are not cached until it is. */
  const unfinished = new Set<string>()
  let open: Block | undefined
  let timer: NodeJS.Timeout | undefined
  let waitingBytes = 0
  let resending = false
  // A serial queue: while one block is inserted the next one fills.
  let writes: Promise<void> = Promise.resolve()

  function openBlock(): Block {
    timer = setTimeout(closeBlock, limits.milliseconds)
    let end: Block['end'] = () => {}
    const stored = new Promise<void>((resolve, reject) => {
      end = (error) => (error ? reject(error) : resolve())
    })
    return { tenantIds: new Set(), rows: [], stored, end, reports: 0, bytes: 0 }
  }

  function closeBlock(): void {
    clearTimeout(timer)
    const block = open
    open = undefined
    if (block) writes = writes.then(() => write(block))
  }

  async function write({ tenantIds, rows, reports, bytes, end }: Block): Promise<void> {
    const block = { token: randomUUID(), stepToken, tenantIds: [...tenantIds], rows: Buffer.concat(rows) }
    const startedAt = performance.now()
    try {
      if (resending) throw unavailable()
      await begin(block)
      await insert(block).catch((error: Error) => {
        void resend(block, error)
        throw error
      })
      await finish(block)
      end()
      onFlush({ reports, bytes, milliseconds: performance.now() - startedAt })
    } catch (error) {
      end(unavailable(error))
    } finally {
      waitingBytes -= bytes
    }
  }

  /** Fails before anything of the block is sent. */
  async function begin(block: SpooledBlock): Promise<void> {
    for (const tenantId of block.tenantIds) unfinished.add(tenantId)
    await withTimeout(insertTimeoutMs, () =>
      withRetry(() => logSteps(block.tenantIds, stepToken, 'started'), closing.signal, waits),
    )
    await spool.save(block)
  }

  const insert = ({ rows, token }: SpooledBlock) =>
    withTimeout(insertTimeoutMs, () => withRetry(() => writer.write([rows], token), closing.signal, waits))

  /** The reports are stored already: a step that is not recorded only keeps their tenants uncached. */
  async function finish(block: SpooledBlock): Promise<void> {
    await spool.remove(block.token)
    const tenantIds = block.stepToken === stepToken ? [...unfinished] : block.tenantIds
    await logSteps(tenantIds, block.stepToken, 'done').then(
      () => {
        for (const tenantId of tenantIds) unfinished.delete(tenantId)
      },
      () => {},
    )
  }

  async function resend(block: SpooledBlock, error: Error): Promise<void> {
    resending = true
    onOutage(error)
    while (!closing.signal.aborted) {
      await sleep(resendPauseMs, undefined, { signal: closing.signal }).catch(() => {})
      const isStored = await insert(block).then(
        () => true,
        () => false,
      )
      if (!isStored) continue
      await finish(block)
      resending = false
      onOutage(undefined)
      return
    }
  }

  return {
    /** Resolves when ClickHouse has the reports and their rollups. Rejects with CollectorError(503). */
    store(reports: readonly StoredReport[]): Promise<void> {
      if (resending || closing.signal.aborted) return Promise.reject(unavailable())
      if (waitingBytes > limits.waitingBytes) return Promise.reject(overloaded())
      open ??= openBlock()
      const block = open
      const rows = Buffer.from(reports.map(toInsertLine).join(''))
      for (const { tenantId } of reports) block.tenantIds.add(tenantId)
      block.rows.push(rows)
      block.reports += reports.length
      block.bytes += rows.length
      waitingBytes += rows.length
      if (block.reports >= limits.reports || block.bytes >= limits.bytes) closeBlock()
      return block.stored
    },
    waitingBytes: () => waitingBytes,
    isReady: () => !resending,
    /** Sends the blocks again that a killed collector left; `isReady` is false until they are stored. */
    async resendLeftovers(): Promise<void> {
      for (const token of await spool.list()) await resend(await spool.load(token), new Error('a block is left'))
    },
    /** Stores what waits. */
    async close(): Promise<void> {
      closeBlock()
      await writes
      closing.abort()
    },
  }
}
