import { engineError } from './errors.ts'

/** Bounds how many queries run and how many wait. */
export type Slots = {
  /** Waits for a place; throws code 202 when the queue is full and code 394 when the caller leaves it. */
  take(signal: AbortSignal): Promise<() => void>
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>
}

/** Makes `running` places and a queue of `waiting`. */
export function createSlots(running: number, waiting: number): Slots {
  let taken = 0
  const queue: (() => void)[] = []
  const idlers: (() => void)[] = []

  function release(): void {
    const next = queue.shift()
    if (next) {
      next()
      return
    }
    taken--
    if (taken === 0) for (const idler of idlers.splice(0)) idler()
  }

  function held(): () => void {
    let released = false
    return () => {
      if (!released) release()
      released = true
    }
  }

  return {
    take(signal) {
      if (taken < running) {
        taken++
        return Promise.resolve(held())
      }
      if (queue.length >= waiting) {
        return Promise.reject(engineError('tooManyQueries', `Too many simultaneous queries. Maximum: ${running}`))
      }
      return new Promise((resolve, reject) => {
        const start = () => {
          signal.removeEventListener('abort', leave)
          resolve(held())
        }
        const leave = () => {
          queue.splice(queue.indexOf(start), 1)
          reject(engineError('cancelled', 'The client left the queue'))
        }
        queue.push(start)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
    idle: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}
