import type { Connection, Native } from './native.ts'

/** Connections opened and set up before anyone asks for one. */
export type SpareConnections = {
  /** Gives one that nobody has used; opens one where none lies ready. The taker ends it and gives it to nobody else. */
  take(): Promise<Connection>
  /** Opens what is missing, in the background. */
  refill(): void
  /** Ends those that nobody took; what is being opened is awaited, as none may be closed while it runs a statement. */
  close(): Promise<void>
}

/** Keeps up to `bound` connections, each with `setup` run on it. None is opened before the first `refill`. */
export function createSpareConnections(
  native: Native,
  path: string,
  setup: readonly string[],
  bound: number,
): SpareConnections {
  const ready: Connection[] = []
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

  async function openSpare(): Promise<void> {
    try {
      ready.push(await open())
    } catch {
      // Whoever takes next opens one for itself and meets the error there.
    }
  }

  return {
    async take() {
      return ready.shift() ?? open()
    },
    refill() {
      for (let missing = bound - ready.length - opening.size; missing > 0 && !closed; missing--) {
        const spare = openSpare().finally(() => opening.delete(spare))
        opening.add(spare)
      }
    },
    async close() {
      closed = true
      await Promise.all(opening)
      for (const connection of ready.splice(0)) native.CloseConnection(connection)
    },
  }
}
