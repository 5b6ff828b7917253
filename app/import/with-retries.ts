import { setTimeout as sleep } from 'node:timers/promises'
import { transientErrors } from '../../queries/clickhouse/transient-errors.ts'

/** Milliseconds before each further attempt: 35 s together, in which an engine that died is back. */
const defaultDelays: readonly number[] = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]

/** Node's names of connection errors that pass, and ours of a store that is away. */
const passing = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'upstream_unavailable'],
])

/** The error a restarting engine's client sees when the connection ends without an answer. */
const hungUp = /socket hang up|timeout error|other side closed|premature close/i

/** Whether the same request may well succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = String((error as Error & { code?: unknown }).code)
  return passing.has(code) || transientErrors.get(code) === 'seconds' || hungUp.test(error.message)
}

/** Repeats a task, which must be safe to repeat, while it fails with a condition that passes. Throws the last error. */
export async function withRetries<Result>(
  task: () => Promise<Result>,
  signal: AbortSignal | undefined,
  delays: readonly number[] = defaultDelays,
): Promise<Result> {
  for (const delay of delays) {
    try {
      return await task()
    } catch (error) {
      if (!isPassing(error)) throw error
      await sleep(delay, undefined, signal && { signal })
    }
  }
  return await task()
}
