import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds before each further attempt: 35 s together, in which an engine that died is back. */
const defaultDelays: readonly number[] = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]

/** Conditions that pass: Node's names of connection errors, and ClickHouse's error codes. */
const passing = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'upstream_unavailable'],
  '159', // TIMEOUT_EXCEEDED
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '236', // ABORTED
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '252', // TOO_MANY_PARTS
  '394', // QUERY_WAS_CANCELLED
])

/** The error a restarting engine's client sees when the connection ends without an answer. */
const hungUp = /socket hang up|timeout error|other side closed|premature close/i

/** Whether the same request may well succeed a little later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  return passing.has(String(code)) || hungUp.test(error.message)
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
