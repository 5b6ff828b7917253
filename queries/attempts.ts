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

/**
 * The task's result, or an error as soon as its time is over, even while the task still waits for its turn. The signal
 * it is given is aborted then. The timer ends with the task: one left to run out is an error made for nobody.
 */
export async function inTime<Result>(
  milliseconds: number,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`No answer within ${milliseconds} ms`))
      ending.abort()
    }, milliseconds)
  })
  try {
    return await Promise.race([task(ending.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
