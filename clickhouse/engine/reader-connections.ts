import type { Connection, Native } from './native.ts'

/**
 * Readers' connections, set up before anyone asks: opening one and giving it its role costs 1.2 ms. One that answered is
 * used again only by requests that set the same names, because settings stay with a connection.
 */
export type ReaderConnections = {
  /**
   * Lends `work` a connection that nobody uses meanwhile. After an error it serves nobody again: in chDB the rows of a
   * failed query stay too.
   * @param shape names of all that `work` sets on its connection; nothing else may stay behind.
   */
  use<T>(shape: string, work: (connection: Connection) => Promise<T>): Promise<T>
  /** Opens what is missing of those that lie ready for new shapes, in the background. */
  refill(): void
  /** Ends those that nobody uses; what is being opened is awaited, as none may be closed while it runs a statement. */
  close(): Promise<void>
}

/** How many connections are kept. */
export type ReaderBounds = {
  /** For requests of a new shape. */
  readonly ready: number
  /** Of those that answered; 160 kB each. */
  readonly used: number
}

/** Keeps connections with `setup` run on each. None is opened before the first `refill`. */
export function createReaderConnections(
  native: Native,
  path: string,
  setup: readonly string[],
  bounds: ReaderBounds,
): ReaderConnections {
  const ready: Connection[] = []
  /** The latest used last. */
  const used: { shape: string; connection: Connection }[] = []
  const opening = new Set<Promise<void>>()
  let closed = false

  async function open(): Promise<Connection> {
    const connection = native.CreateConnection(path)
    try {
      await native.QueryAsyncConnection(connection, setup.join(';\n'), 'Null')
      return connection
    } catch (error) {
      native.CloseConnection(connection)
      throw error
    }
  }

  async function openReady(): Promise<void> {
    try {
      ready.push(await open())
    } catch {
      // Whoever asks next opens one for itself and meets the error there.
    }
  }

  function refill(): void {
    for (let missing = bounds.ready - ready.length - opening.size; missing > 0 && !closed; missing--) {
      const one = openReady().finally(() => opening.delete(one))
      opening.add(one)
    }
  }

  function takeUsed(shape: string): Connection | undefined {
    const at = used.findLastIndex((one) => one.shape === shape)
    return at < 0 ? undefined : used.splice(at, 1)[0]?.connection
  }

  /** Closing takes the event loop's time, so the answer leaves first. */
  function closeSoon(connection: Connection | undefined): void {
    setImmediate(() => {
      if (connection) native.CloseConnection(connection)
      refill()
    })
  }

  return {
    async use(shape, work) {
      const connection = takeUsed(shape) ?? ready.shift() ?? (await open())
      let answer: Awaited<ReturnType<typeof work>>
      try {
        answer = await work(connection)
      } catch (error) {
        closeSoon(connection)
        throw error
      }
      used.push({ shape, connection })
      closeSoon(used.length > bounds.used ? used.shift()?.connection : undefined)
      return answer
    },
    refill,
    async close() {
      closed = true
      // Those whose work has just ended are closed before this.
      await new Promise((resolve) => setImmediate(resolve))
      await Promise.all(opening)
      for (const connection of [...ready.splice(0), ...used.splice(0).map((one) => one.connection)]) {
        native.CloseConnection(connection)
      }
    },
  }
}
