/**
 * Runs a task with a signal that aborts after a time with a TimeoutError, or with the reason of the outer signal. Node
 * 20 can collect an `AbortSignal.timeout` that only `AbortSignal.any` refers to, before it fires. A signal also keeps
 * each signal that `any` derives from it, and the worker's signal lives long.
 */
export async function withDeadline<Result>(
  ms: number,
  outer: AbortSignal,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted()
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException(`Not complete in ${ms} ms`, 'TimeoutError')), ms)
  const stop = () => controller.abort(outer.reason)
  outer.addEventListener('abort', stop)
  try {
    return await task(controller.signal)
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', stop)
  }
}
