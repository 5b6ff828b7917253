/** Calls `first` at the first Ctrl-C or SIGTERM; a second exits at once. Returns the removal of both listeners. */
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
