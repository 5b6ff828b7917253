import { ClientDisconnected } from '../../../queries/clickhouse/with-timeout.ts'

/** Callers of one key share a task. An aborted caller rejects with ClientDisconnected. */
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

/** Aborts a task with its last caller; LRUCache.fetch would abort it with the first. */
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
        end(key, flight)
        flight.controller.abort()
      })
    })
  }
}
