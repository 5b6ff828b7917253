/** What a connection says that the other side had closed while it lay idle. */
const closedConnection = new Set(['ECONNRESET', 'EPIPE'])

/** Asks again, once, where a kept connection turns out closed: a read does no harm twice. */
export async function onceMore<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    if (signal.aborted || !closedConnection.has(String((error as NodeJS.ErrnoException).code))) throw error
    return task()
  }
}

/** Nobody waits for the answer any more. */
export class CallerLeft extends Error {}

/**
 * The task's result, or an error as soon as its time is over or its caller has left, even while the task still waits for
 * its turn. The signal it is given is aborted then. The timer ends with the task: one left to run out is an error made
 * for nobody.
 * @param leaving aborted when the caller leaves; CallerLeft is thrown then.
 */
export async function inTime<Result>(
  milliseconds: number,
  task: (signal: AbortSignal) => Promise<Result>,
  leaving?: AbortSignal,
): Promise<Result> {
  const ending = new AbortController()
  let giveUp: (error: Error) => void = () => {}
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = (error) => {
      reject(error)
      ending.abort()
    }
  })
  let over = false
  // An answer that came while this process was busy is read before its time counts as over.
  const timer = setTimeout(
    () => setImmediate(() => over || giveUp(new Error(`No answer within ${milliseconds} ms`))),
    milliseconds,
  )
  const left = () => giveUp(new CallerLeft())
  leaving?.addEventListener('abort', left, { once: true })
  if (leaving?.aborted) left()
  try {
    return await Promise.race([task(ending.signal), givenUp])
  } finally {
    over = true
    clearTimeout(timer)
    leaving?.removeEventListener('abort', left)
  }
}
