/** @module Timeouts of a request to ClickHouse or Redis, and the single retry of a read. */

import { setImmediate as pendingEvents } from 'node:timers/promises'

/** Codes of an idle connection closed by the server. */
const closedConnection = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Retries once after a closed connection; reads have no side effects. */
export async function retryOnClosedConnection<Result>(
  task: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    if (signal.aborted || !closedConnection.has(String((error as NodeJS.ErrnoException).code))) throw error
    // The pool reads first which of its other connections are closed too.
    await pendingEvents()
    return task()
  }
}

/** The client closed its connection before the response was sent. */
export class ClientDisconnected extends Error {}

/** No response within the timeout. */
export class TimedOut extends Error {}

/**
 * Rejects at the deadline, or with ClientDisconnected, even while the task waits in a queue; then aborts its signal.
 * `AbortSignal.timeout` and `any` cost 20 µs of CPU more a call, and their timers outlive the task.
 */
export async function withTimeout<Result>(
  timeoutMs: number,
  task: (signal: AbortSignal) => Promise<Result>,
  disconnected?: AbortSignal,
): Promise<Result> {
  const controller = new AbortController()
  const { signal } = controller
  let abort = (_: Error) => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = (error) => {
      reject(error)
      controller.abort(error)
    }
  })
  // Two halves: a pause of this process or machine, of any length, ends only one, and the other leaves time for the
  // response.
  let timer = setTimeout(() => {
    // A response that arrived while this process was busy is read first.
    timer = setTimeout(() => setImmediate(abort, new TimedOut(`No response within ${timeoutMs} ms`)), timeoutMs / 2)
  }, timeoutMs / 2)
  const disconnect = () => abort(new ClientDisconnected())
  disconnected?.addEventListener('abort', disconnect)
  if (disconnected?.aborted) disconnect()
  try {
    return await Promise.race([task(signal), aborted])
  } finally {
    clearTimeout(timer)
    disconnected?.removeEventListener('abort', disconnect)
  }
}
