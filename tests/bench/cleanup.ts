/** Things to close, the last opened first. */
export interface Closers {
  add(close: () => Promise<unknown>): void
  /** Closes everything once, also what another close failed on. */
  closeAll(): Promise<void>
  /** Resolves at once; never after a signal, so that what fails by the closing is not gone on with. */
  proceed(): Promise<void>
}

/** Makes a list that is also closed at Ctrl-C or SIGTERM, which then end the process with 130 or 143. */
export function createClosers(): Closers {
  const closes: (() => Promise<unknown>)[] = []
  let stopping = false
  const proceed = () => (stopping ? new Promise<void>(() => undefined) : Promise.resolve())
  async function closeEach(): Promise<void> {
    for (const close of closes.splice(0).reverse()) await close().catch(() => undefined)
  }
  function onSignal(signal: 'SIGINT' | 'SIGTERM'): void {
    process.stderr.write('\nStopping what was started\n')
    stopping = true
    void closeEach().then(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  }
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  return {
    add: (close) => void closes.push(close),
    proceed,
    async closeAll() {
      await proceed()
      await closeEach()
    },
  }
}
