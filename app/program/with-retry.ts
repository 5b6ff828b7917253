import pRetry, { type Options } from 'p-retry'
import { isTransientCode } from '../../queries/clickhouse/error-codes.ts'

/** Waits of 83 s in all: enough for an engine to restart, and for a killed replica to rejoin. */
const defaultWaits: Options = { retries: 14, minTimeout: 100, factor: 2, maxTimeout: 10_000 }

/** Node's codes of transient connection errors, and our own of an unavailable ClickHouse. */
const transientCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'upstream_unavailable'],
])

/** Messages of a connection that a restarting ClickHouse closed without a response. */
const hungUp = /socket hang up|timeout error|other side closed|premature close/i

/** True if a retry within seconds can succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = String((error as Error & { code?: unknown }).code)
  return transientCodes.has(code) || isTransientCode(error) || hungUp.test(error.message)
}

/** Retries an idempotent task after transient errors. An abort ends a wait, never a first attempt in flight. */
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
