/** Deferred closes of a command, run last-in first-out. */
export interface Cleanup {
  defer(close: () => Promise<unknown>): void
  /** Runs every close once, even after one fails. */
  run(): Promise<void>
  /** Resolves at once, but never after a signal: errors caused by the closing are not reported. */
  haltIfStopping(): Promise<void>
}

/** Also runs on SIGINT and SIGTERM, which then exit with 130 or 143. */
export function createCleanup(): Cleanup {
  const closes: (() => Promise<unknown>)[] = []
  let stopping = false
  const haltIfStopping = () => (stopping ? new Promise<void>(() => undefined) : Promise.resolve())
  async function closeEach(): Promise<void> {
    for (const close of closes.splice(0).reverse()) await close().catch(() => undefined)
  }
  function onSignal(signal: 'SIGINT' | 'SIGTERM'): void {
    process.stderr.write('\nStopping\n')
    stopping = true
    void closeEach().then(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  }
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  return {
    defer: (close) => void closes.push(close),
    haltIfStopping,
    async run() {
      await haltIfStopping()
      await closeEach()
    },
  }
}
