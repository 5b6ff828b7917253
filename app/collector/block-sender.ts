/**
 * @module Sends blocks through the spool. A block whose posts are refused is withdrawn: it is stored only where
 * ClickHouse has a part of it, which is completed. After a failure no other block is sent until ClickHouse takes writes
 * again.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorTokenPrefix } from '../../clickhouse/log-import-steps.ts'
import { isRefusal } from '../../queries/clickhouse/error-codes.ts'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import { withRetry } from '../import/with-retry.ts'
import { type BlockSenderOptions, senderTimeouts } from './block-sender-options.ts'
import { unavailable } from './collector-error.ts'
import type { SpoolEntry, SpooledBlock } from './spool.ts'

export function createBlockSender(options: BlockSenderOptions) {
  const {
    writer,
    logSteps,
    settle,
    spool,
    restore,
    onOutage = () => {},
    onRefusal = () => {},
    onUnreadable = () => {},
  } = options
  const timeouts = { ...senderTimeouts, ...options.timeouts }
  const waits = { retries: 6, minTimeout: timeouts.retryPauseMs, factor: 2, maxTimeout: 2_000 }
  const ownStepToken = collectorTokenPrefix + randomUUID()
  const closing = new AbortController()
  let recovering: Promise<void> | undefined
  let sending: Promise<void> = Promise.resolve()
  let isRestoring = false

  /** Its tenants are not cached until `finish`. */
  const start = ({ stepToken, tenantIds }: SpooledBlock, timeoutMs: number): Promise<void> =>
    within(timeoutMs, (signal) => withRetry(() => logSteps(tenantIds, stepToken, 'started', signal), signal, waits))

  const insert = async ({ token, rows }: SpooledBlock, timeoutMs: number): Promise<void> => {
    // An older version left blocks without rows, of which only the step was not done.
    if (rows.length === 0) return
    let isRetry = false
    const write = async (signal: AbortSignal) => {
      // A power cut can take the token of rows that it did not take.
      if (isRetry && (await restore?.newBoot(signal))) throw new Error("ClickHouse's machine restarted")
      isRetry = true
      await writer.write([rows], token, signal)
    }
    await within(timeoutMs, (signal) => withRetry(() => write(signal), signal, waits))
  }

  const logDone = ({ stepToken, tenantIds }: SpooledBlock): Promise<void> =>
    within(timeouts.doneTimeoutMs, (signal) => logSteps(tenantIds, stepToken, 'done', signal))

  async function finish(block: SpooledBlock, entry: SpoolEntry): Promise<void> {
    await logDone(block)
    await spool.moveToStored(entry)
  }

  async function discard(block: SpooledBlock): Promise<void> {
    await logDone(block)
    await spool.remove(block.token)
  }

  async function setUnreadableAside(entry: SpoolEntry): Promise<void> {
    onUnreadable(entry.token)
    await spool.setAside(entry, 'unreadable')
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
    if (!block) return setUnreadableAside(entry)
    const { recoveryTimeoutMs } = timeouts
    const isWanted = !entry.isWithdrawn || (await within(recoveryTimeoutMs, (signal) => settle(block, signal)))
    if (!isWanted) return discard(block)
    await start(block, recoveryTimeoutMs)
    try {
      await insert(block, recoveryTimeoutMs)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return refuse(block, entry, error as Error)
    }
    await finish(block, entry)
  }

  async function restoreAfterCut(): Promise<void> {
    if (!restore) return
    const { recoveryTimeoutMs } = timeouts
    const boot = await within(recoveryTimeoutMs, restore.newBoot)
    if (boot === undefined) return
    isRestoring = true
    const setAside = { unreadable: setUnreadableAside, refused: refuse }
    await restore.restore(boot, ownStepToken, setAside, closing.signal)
    isRestoring = false
  }

  /** Sends the blocks of the spool until each is stored, refused or withdrawn. */
  async function recover(failure?: Error): Promise<void> {
    if (failure) onOutage(failure)
    while (!closing.signal.aborted) {
      try {
        if (failure) await sleep(timeouts.recoveryPauseMs, undefined, { signal: closing.signal })
        await spool.probe()
        await restoreAfterCut()
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
    recovering ??= recover(failure).then(endRecovery)
  }

  function endRecovery(): void {
    recovering = undefined
  }

  /**
   * Starts a restore after the insert in flight. Removes no stored block while ClickHouse does not respond, as its machine may
   * be without power.
   */
  async function pollBoot(): Promise<void> {
    if (recovering || closing.signal.aborted) return
    const seen = await within(timeouts.startTimeoutMs, async (signal) => restore?.newBoot(signal)).then(
      (boot) => ({ boot }),
      () => undefined,
    )
    if (!seen || recovering || closing.signal.aborted) return
    if (seen.boot === undefined) await spool.removeOld().catch(() => undefined)
    else recovering = sending.then(() => recover()).then(endRecovery)
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

  const polling = restore && setInterval(pollBoot, timeouts.bootPollMs).unref()

  return {
    /** Resolves when ClickHouse has the rows; one block at a time. Rejects while `isRecovering`. */
    async send(tenantIds: readonly string[], rows: Buffer): Promise<void> {
      if (recovering) throw unavailable()
      const block = { token: randomUUID(), stepToken: ownStepToken, tenantIds, rows }
      const stored = store(block)
      sending = stored.catch(() => undefined)
      await stored.catch((error: Error) => {
        startRecovery(error)
        throw error
      })
      if (!recovering) await finish(block, { token: block.token, isWithdrawn: false }).catch(startRecovery)
    },
    isRecovering: () => recovering !== undefined,
    /** From the time that a power cut of ClickHouse's machine is seen until it has again what it lost. */
    isRestoring: () => isRestoring,
    /** Sends what a killed collector left. */
    sendLeftovers: () => startRecovery(),
    /** A block that is being sent again stays in the spool. */
    async close(): Promise<void> {
      clearInterval(polling)
      closing.abort()
      await recovering
    },
  }
}
