/** Things to close, the last opened first. */
export interface Closers {
  add(close: () => Promise<unknown>): void
  /** Closes everything once, also what another close failed on. */
  closeAll(): Promise<void>
}

/** Makes a list that is also closed at Ctrl-C or SIGTERM, which then end the process with 130 or 143. */
export function createClosers(): Closers {
  const closes: (() => Promise<unknown>)[] = []
  const closeAll = async () => {
    for (const close of closes.splice(0).reverse()) await close().catch(() => undefined)
  }
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    process.stderr.write('\nStopping what was started\n')
    void closeAll().then(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  }
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  return { add: (close) => void closes.push(close), closeAll }
}
