import { setMaxListeners } from 'node:events'
import { ClientDisconnected } from '../../../queries/clickhouse/with-timeout.ts'

/**
 * Callers with the same key share a task that began at `since` or later. Later callers share the next task, which
 * begins after its end. An aborted caller rejects with ClientDisconnected. Times are milliseconds of its clock.
 */
export type SingleFlight<Result> = (
  key: string,
  task: (signal: AbortSignal, startedAt: number) => Promise<Result>,
  signal?: AbortSignal,
  since?: number,
) => Promise<Result>

interface Flight<Result> {
  readonly startedAt: number
  readonly result: Promise<Result>
  readonly controller: AbortController
  callers: number
}

/** Aborts a task with its last caller; LRUCache.fetch would abort it with the first. */
export function singleFlight<Result>(now = () => performance.now()): SingleFlight<Result> {
  const inFlight = new Map<string, Flight<Result>>()

  function end(key: string, flight: Flight<Result>): void {
    if (inFlight.get(key) === flight) inFlight.delete(key)
  }

  function start(key: string, task: Parameters<SingleFlight<Result>>[1]): Flight<Result> {
    const controller = new AbortController()
    // Each read of the task listens; Node warns of more than ten.
    setMaxListeners(0, controller.signal)
    const startedAt = now()
    const result = task(controller.signal, startedAt).finally(() => end(key, flight))
    const flight: Flight<Result> = { startedAt, result, controller, callers: 0 }
    inFlight.set(key, flight)
    return flight
  }

  const join: SingleFlight<Result> = (key, task, signal, since = Number.NEGATIVE_INFINITY) => {
    if (signal?.aborted) return Promise.reject(new ClientDisconnected())
    const running = inFlight.get(key)
    if (running && running.startedAt < since) {
      const joinNext = () => join(key, task, signal, since)
      return running.result.then(joinNext, joinNext)
    }
    const flight = running ?? start(key, task)
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
  return join
}
