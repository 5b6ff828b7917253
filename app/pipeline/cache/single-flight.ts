import { ClientDisconnected } from '../../../queries/clickhouse/with-timeout.ts'

/**
 * Runs a task unless the same is in flight; its callers share one result or error.
 * @param signal aborts the wait of this caller, which then rejects with ClientDisconnected; without it the caller never aborts.
 */
export type SingleFlight<Result> = (
  key: string,
  task: (signal: AbortSignal) => Promise<Result>,
  signal?: AbortSignal,
) => Promise<Result>

interface Flight<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  callers: number
}

/** A task is aborted when the last of its callers aborts; LRUCache.fetch aborts with its first caller instead. */
export function singleFlight<Result>(): SingleFlight<Result> {
  const inFlight = new Map<string, Flight<Result>>()

  function end(key: string, flight: Flight<Result>): void {
    if (inFlight.get(key) === flight) inFlight.delete(key)
  }

  function start(key: string, task: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController()
    const result = task(controller.signal).finally(() => end(key, flight))
    const flight: Flight<Result> = { result, controller, callers: 0 }
    inFlight.set(key, flight)
    return flight
  }

  return (key, task, signal) => {
    if (signal?.aborted) return Promise.reject(new ClientDisconnected())
    const flight = inFlight.get(key) ?? start(key, task)
    flight.callers++
    return new Promise((resolve, reject) => {
      flight.result.then(resolve, reject)
      signal?.addEventListener('abort', () => {
        reject(new ClientDisconnected())
        if (--flight.callers > 0) return
        // The next caller starts the task again.
        end(key, flight)
        flight.controller.abort()
      })
    })
  }
}
