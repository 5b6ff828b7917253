/**
 * Calls `first` at the first Ctrl-C or SIGTERM; a second ends the process at once, with the code of shells for that.
 * @returns what takes the listeners off again.
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
