import { explainError } from './explain-error.ts'

/**
 * Calls `first` at the first Ctrl-C or SIGTERM; a second exits at once. Returns a function that removes both listeners.
 */
export function onStopSignal(first: () => void): () => void {
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(130)
    stopping = true
    first()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return () => {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

export function stopOnSignal(stop: () => Promise<void>): void {
  onStopSignal(() => {
    process.stderr.write('\nFinishing the requests in flight; press Ctrl-C again to stop at once\n')
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  })
}

export function fail(error: unknown): never {
  process.stderr.write(`${explainError(error)}\n`)
  process.exit(1)
}
