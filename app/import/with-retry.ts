import pRetry, { type Options } from 'p-retry'
import { transientErrors } from '../../queries/clickhouse/transient-errors.ts'

/** Waits of 0.1 s, doubled up to 10 s: 43 s together, in which an engine that died is back. */
const defaultWaits: Options = { retries: 10, minTimeout: 100, factor: 2, maxTimeout: 10_000 }

/** Node's names of connection errors that are transient, and ours of a database that is away. */
const transientCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'upstream_unavailable'],
])

/** The error a restarting engine's client sees when the connection ends without a response. */
const hungUp = /socket hang up|timeout error|other side closed|premature close/i

/** Whether the same request may well succeed a little later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = String((error as Error & { code?: unknown }).code)
  return transientCodes.has(code) || transientErrors.get(code) === 'seconds' || hungUp.test(error.message)
}

/**
 * Repeats a task, which must be safe to repeat, after transient errors. Throws the last error, or the signal's reason:
 * an abort ends a wait, and not a first attempt in flight.
 */
export function withRetry<Result>(
  task: () => Promise<Result>,
  signal: AbortSignal | undefined,
  waits: Options = defaultWaits,
): Promise<Result> {
  const ended = new AbortController()
  const end = () => ended.abort(signal?.reason)
  return pRetry(task, {
    ...waits,
    signal: ended.signal,
    shouldRetry: ({ error }) => isTransient(error),
    onFailedAttempt() {
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    },
  }).finally(() => signal?.removeEventListener('abort', end))
}
