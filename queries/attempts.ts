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

/** The result, or the signal's reason as soon as it is aborted, while the task still waits for its turn. */
export async function orAborted<Result>(task: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let giveUp = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason)
  })
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([task, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
