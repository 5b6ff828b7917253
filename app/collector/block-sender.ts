/**
 * @module Sends blocks through the spool. A block whose posts are refused is withdrawn: it is stored only where
 * ClickHouse has a part of it, which is completed. After a failure no other block is sent until ClickHouse takes writes
 * again.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorTokenPrefix, type LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import { isRefusal } from '../../queries/clickhouse/error-codes.ts'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import { type PostTimeouts, postTimeouts } from '../../schema/durations.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { withRetry } from '../import/with-retry.ts'
import { unavailable } from './collector-error.ts'
import type { SettleInsert } from './settle-insert.ts'
import type { Spool, SpoolEntry, SpooledBlock } from './spool.ts'

export interface BlockSenderOptions {
  readonly writer: ReportWriter
  readonly logSteps: LogImportSteps
  readonly settle: SettleInsert
  readonly spool: Spool
  readonly timeouts?: Partial<SenderTimeouts>
  /** Called when a block cannot be sent, and without an error when ClickHouse takes writes again. */
  readonly onOutage?: (error: Error | undefined) => void
  /** Called with the token of a block that is set aside: ClickHouse refuses it, which only a defect of ours makes it do. */
  readonly onRefusal?: (token: string, error: Error) => void
  /** Called with the token of a block that is set aside because it cannot be read. */
  readonly onUnreadable?: (token: string) => void
}

/** Those of `postTimeouts` include retries. */
interface SenderTimeouts extends Omit<PostTimeouts, 'queueTimeoutMs'> {
  /** Of each part of a block that is sent again, for which no post waits. */
  readonly recoveryTimeoutMs: number
  readonly recoveryPauseMs: number
  /** Before the first retry. By default all waits are 5 s, in which an engine that died restarts. */
  readonly retryPauseMs: number
}

const senderTimeouts: SenderTimeouts = {
  ...postTimeouts,
  recoveryTimeoutMs: 300_000,
  recoveryPauseMs: 250,
  retryPauseMs: 100,
}

export function createBlockSender(options: BlockSenderOptions) {
  const {
    writer,
    logSteps,
    settle,
    spool,
    onOutage = () => {},
    onRefusal = () => {},
    onUnreadable = () => {},
  } = options
  const timeouts = { ...senderTimeouts, ...options.timeouts }
  const waits = { retries: 6, minTimeout: timeouts.retryPauseMs, factor: 2, maxTimeout: 2_000 }
  const ownStepToken = collectorTokenPrefix + randomUUID()
  const closing = new AbortController()
  let recovering: Promise<void> | undefined

  /** Its tenants are not cached until `finish`. */
  const start = ({ stepToken, tenantIds }: SpooledBlock, timeoutMs: number): Promise<void> =>
    within(timeoutMs, (signal) => withRetry(() => logSteps(tenantIds, stepToken, 'started', signal), signal, waits))

  const insert = async ({ token, rows }: SpooledBlock, timeoutMs: number): Promise<void> => {
    // An older version left blocks without rows, of which only the step was not done.
    if (rows.length === 0) return
    await within(timeoutMs, (signal) => withRetry(() => writer.write([rows], token, signal), signal, waits))
  }

  const logDone = ({ stepToken, tenantIds }: SpooledBlock): Promise<void> =>
    within(timeouts.doneTimeoutMs, (signal) => logSteps(tenantIds, stepToken, 'done', signal))

  async function finish(block: SpooledBlock): Promise<void> {
    await logDone(block)
    await spool.remove(block.token)
  }

  async function refuse(block: SpooledBlock, entry: SpoolEntry, error: Error): Promise<void> {
    onRefusal(block.token, error)
    await logDone(block)
    await spool.setAside(entry, 'refused')
  }

  const within = <Result>(timeoutMs: number, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> =>
    withTimeout(timeoutMs, task, closing.signal)

  async function sendAgain(entry: SpoolEntry): Promise<void> {
    const block = await spool.load(entry)
    if (!block) {
      onUnreadable(entry.token)
      return spool.setAside(entry, 'unreadable')
    }
    const { recoveryTimeoutMs } = timeouts
    const isWanted = !entry.isWithdrawn || (await within(recoveryTimeoutMs, (signal) => settle(block, signal)))
    if (!isWanted) return finish(block)
    await start(block, recoveryTimeoutMs)
    try {
      await insert(block, recoveryTimeoutMs)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return refuse(block, entry, error as Error)
    }
    await finish(block)
  }

  /** Sends the blocks of the spool until each is stored, refused or withdrawn. */
  async function recover(failure?: Error): Promise<void> {
    if (failure) onOutage(failure)
    while (!closing.signal.aborted) {
      try {
        if (failure) await sleep(timeouts.recoveryPauseMs, undefined, { signal: closing.signal })
        await spool.probe()
        for (const entry of await spool.list()) await sendAgain(entry)
        if (failure) onOutage(undefined)
        return
      } catch (error) {
        if (closing.signal.aborted) return
        if (!failure) onOutage(error as Error)
        failure = error as Error
      }
    }
  }

  function startRecovery(failure?: Error): void {
    recovering = recover(failure).then(() => {
      recovering = undefined
    })
  }

  /** Rejects where none of it is stored, as far as that can be known. */
  async function store(block: SpooledBlock): Promise<void> {
    try {
      await spool.save(block)
      await start(block, timeouts.startTimeoutMs)
    } catch (error) {
      // Its step may have been recorded.
      await withdraw(block)
      throw error
    }
    await insert(block, timeouts.insertTimeoutMs).catch(async (error: Error) => {
      const isStored = await within(timeouts.settleTimeoutMs, (signal) => settle(block, signal)).catch(() => undefined)
      // Its posts are stored; recovery completes the rollups.
      if (isStored) return startRecovery(error)
      // A block that is not settled can be stored in part: recovery settles it first.
      if (isStored === false && isRefusal(error)) await refuse(block, { token: block.token, isWithdrawn: false }, error)
      else await withdraw(block)
      throw error
    })
  }

  const withdraw = ({ token }: SpooledBlock) => spool.withdraw(token).catch(() => undefined)

  return {
    /** Resolves when ClickHouse has the rows; one block at a time. Rejects while `isRecovering`. */
    async send(tenantIds: readonly string[], rows: Buffer): Promise<void> {
      if (recovering) throw unavailable()
      const block = { token: randomUUID(), stepToken: ownStepToken, tenantIds, rows }
      await store(block).catch((error: Error) => {
        startRecovery(error)
        throw error
      })
      if (!recovering) await finish(block).catch(startRecovery)
    },
    isRecovering: () => recovering !== undefined,
    /** Sends what a killed collector left. */
    sendLeftovers: () => startRecovery(),
    /** A block that is being sent again stays in the spool. */
    async close(): Promise<void> {
      closing.abort()
      await recovering
    },
  }
}
