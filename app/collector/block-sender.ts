/**
 * @module Sends segments of one shard in order until ClickHouse has them. Each is one block whose deduplication token
 * is the segment's name.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/database.ts'
import { withTimeout } from '../../queries/clickhouse/with-timeout.ts'
import { blockAttemptMs, longestInsertMs, minuteMs } from '../../schema/durations.ts'
import { type BlockAttemptOptions, createBlockAttempts, Held } from './attempt-block.ts'
import type { Segment } from './segment-list.ts'

export interface SenderTimeouts {
  /** Timeout of the first attempt. It doubles up to the longest, because a retry waits for the previous attempt. */
  readonly attemptMs: number
  readonly longestAttemptMs: number
  /** Pause after a failure at first; it doubles up to the longest. */
  readonly pauseMs: number
  readonly longestPauseMs: number
  /** Pause while the collectors are held. */
  readonly heldMs: number
  /** Time for which ClickHouse knows a token surely. */
  readonly tokenMs: number
}

const senderTimeouts: SenderTimeouts = {
  attemptMs: blockAttemptMs,
  longestAttemptMs: longestInsertMs,
  pauseMs: 250,
  longestPauseMs: 10_000,
  heldMs: 500,
  tokenMs: 10 * minuteMs,
}

export interface Sent {
  readonly reports: number
  readonly bytes: number
  readonly startedAt: number
  readonly endedAt: number
}

export interface BlockSenderOptions extends Omit<BlockAttemptOptions, 'database'> {
  readonly database: Pick<Database, 'read' | 'ping'>
  /**
   * Rejects while sending is not allowed, and restores data lost in a power cut. Called before the first block and
   * after a failure.
   */
  readonly prepare: (signal: AbortSignal) => Promise<void>
  readonly timeouts?: Partial<SenderTimeouts> | undefined
  readonly onSent?: (sent: Sent) => void
  /** Called if a block cannot be sent, and without an error when ClickHouse accepts blocks again. */
  readonly onOutage?: (error: Error | undefined) => void
  readonly onIdle?: () => void
}

export type BlockSender = ReturnType<typeof createBlockSender>

export function createBlockSender(options: BlockSenderOptions) {
  const { log, database, prepare, onSent, onOutage, onIdle } = options
  const timeouts = { ...senderTimeouts, ...options.timeouts }
  const { attempt, setAside } = createBlockAttempts(options, timeouts.tokenMs)
  const closing = new AbortController()
  const queue: Segment[] = []
  let running: Promise<void> | undefined
  let mustPrepare = true
  let failure: Error | undefined

  async function sendNext(failures: number): Promise<void> {
    if (failures > 0 && !(await database.ping())) throw failure ?? new Error('ClickHouse does not respond')
    if (mustPrepare || failures > 0) await prepare(closing.signal)
    mustPrepare = false
    const [segment] = queue
    if (!segment) return
    const startedAt = performance.now()
    // A recount of days takes longer than an insert.
    const attemptMs = segment.begunAt === undefined ? timeouts.attemptMs * 2 ** failures : timeouts.longestAttemptMs
    const timeoutMs = Math.min(attemptMs, timeouts.longestAttemptMs)
    await withTimeout(timeoutMs, (signal) => attempt(segment, signal), closing.signal)
    queue.shift()
    log.forget(segment)
    onSent?.({ reports: segment.reports, bytes: segment.bytes, startedAt, endedAt: performance.now() })
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted && (queue.length > 0 || mustPrepare || failures > 0)) {
      try {
        await sendNext(failures)
        if (failures > 0) onOutage?.(undefined)
        failures = 0
        failure = undefined
      } catch (error) {
        if (closing.signal.aborted) return
        let pauseMs = timeouts.heldMs
        if (!(error instanceof Held)) {
          if (failures === 0) onOutage?.(error as Error)
          pauseMs = Math.min(timeouts.pauseMs * 2 ** failures, timeouts.longestPauseMs)
          failures++
          failure = error as Error
        }
        await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  function start(): void {
    if (closing.signal.aborted) return
    running ??= run().finally(() => {
      running = undefined
      if (queue.length > 0 || mustPrepare) start()
      else onIdle?.()
    })
  }

  return {
    add(segment: Segment): void {
      queue.push(segment)
      start()
    },
    /** Sends nothing until `prepare` is called again. */
    suspect(): void {
      mustPrepare = true
      start()
    },
    isIdle: () => queue.length === 0,
    /** False until `prepare` has succeeded since `suspect`. */
    isPrepared: () => !mustPrepare,
    /** Failure of the last attempt; undefined while ClickHouse keeps up. */
    failure: () => failure,
    setAside,
    /** Ends an attempt in flight; its segment remains in the log. */
    async close(): Promise<void> {
      closing.abort()
      await running
    },
  }
}
