import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectorTokenPrefix, type LogImportSteps } from '../../clickhouse/log-import-steps.ts'
import { isRefusal } from '../../queries/clickhouse/transient-errors.ts'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import type { ReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import { withRetry } from '../import/with-retry.ts'
import { unavailable } from './collector-error.ts'
import type { Spool, SpooledBlock } from './spool.ts'

/**
 * Sends blocks through the spool: an insert that fails may be half stored, and is sent again until it is whole. After a
 * failure no other block is sent until ClickHouse takes writes again.
 */

export interface BlockSenderOptions {
  readonly writer: ReportWriter
  readonly logSteps: LogImportSteps
  readonly spool: Spool
  /** Called when a block cannot be sent, and without an error when ClickHouse takes writes again. */
  readonly onOutage?: (error: Error | undefined) => void
  /** Called with the token of a block that ClickHouse refuses, which only a defect of ours makes it do. */
  readonly onRefusal?: (token: string, error: Error) => void
}

/** 5 s of waits, in which an engine that died restarts. */
const waits = { retries: 6, minTimeout: 100, factor: 2, maxTimeout: 2_000 }
/** Of a block, its retries included. */
const sendTimeoutMs = 10_000
const doneTimeoutMs = 2_000
const recoveryPauseMs = 250

export function createBlockSender(options: BlockSenderOptions) {
  const { writer, logSteps, spool, onOutage = () => {}, onRefusal = () => {} } = options
  const ownStepToken = collectorTokenPrefix + randomUUID()
  const closing = new AbortController()
  let recovering: Promise<void> | undefined

  /** @param onInsert called before the rows are sent: a failure before it stored nothing. */
  function insert({ token, stepToken, tenantIds, rows }: SpooledBlock, onInsert = () => {}): Promise<void> {
    return withTimeout(
      sendTimeoutMs,
      async (signal) => {
        await withRetry(() => logSteps(tenantIds, stepToken, 'started', signal), signal, waits)
        signal.throwIfAborted()
        onInsert()
        if (rows.length > 0) await withRetry(() => writer.write([rows], token, signal), signal, waits)
      },
      closing.signal,
    )
  }

  /** Its tenants are not cached before. */
  async function finish({ token, stepToken, tenantIds }: SpooledBlock): Promise<void> {
    const logDone = (signal: AbortSignal) => logSteps(tenantIds, stepToken, 'done', signal)
    await withTimeout(doneTimeoutMs, logDone, closing.signal)
    await spool.remove(token)
  }

  async function sendAgain(block: SpooledBlock): Promise<void> {
    const refusal = await insert(block).catch((error: unknown) => {
      if (isRefusal(error)) return error as Error
      throw error
    })
    if (refusal) {
      onRefusal(block.token, refusal)
      await spool.setAside(block.token)
    }
    await finish(block)
  }

  /** Sends the blocks of the spool until each is stored or refused. */
  async function recover(failure?: Error): Promise<void> {
    if (failure) onOutage(failure)
    while (!closing.signal.aborted) {
      try {
        if (failure) await sleep(recoveryPauseMs, undefined, { signal: closing.signal })
        for (const token of await spool.list()) {
          const block = await spool.load(token)
          if (block) await sendAgain(block)
          else await spool.remove(token)
        }
        if (failure) onOutage(undefined)
        return
      } catch (error) {
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

  return {
    /** Resolves when ClickHouse has the rows; one block at a time. Rejects while `isRecovering`. */
    async send(tenantIds: readonly string[], rows: Buffer): Promise<void> {
      if (recovering) throw unavailable()
      const block = { token: randomUUID(), stepToken: ownStepToken, tenantIds, rows }
      let [inserting, stored] = [false, false]
      try {
        await spool.save(block)
        await insert(block, () => {
          inserting = true
        })
        stored = true
        await finish(block)
      } catch (error) {
        // Only its step is left to finish: it may have been recorded.
        if (stored || !inserting) await spool.save({ ...block, rows: Buffer.alloc(0) }).catch(() => {})
        startRecovery(error as Error)
        if (!stored) throw error
      }
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
