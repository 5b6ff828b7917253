import { type Role, roleStatements } from './access.ts'
import type { Connection, Native } from './native.ts'
import { sqlString } from './sql-literal.ts'

/** Hands out connections that nobody has used: rows of a failed query and settings stay with a connection (chDB). */
export type Connections = {
  /** A fresh connection with the role's rights and limits. */
  take(role: Role): Promise<Connection>
  /** Ends a connection on which nothing runs any more. */
  drop(connection: Connection): void
  /** Asks the engine to stop every query whose text begins with the marker. Does not wait for it. */
  kill(marker: string): Promise<void>
  close(): Promise<void>
}

const sparesPerRole = 2

/** Opens the data directory; throws what the engine says when another process holds it. */
export async function openConnections(native: Native, path: string, args: readonly string[]): Promise<Connections> {
  // The engine lives as long as one connection does, so this one outlasts all others.
  const anchor = native.CreateConnection(path, args)
  const spares: Record<Role, Promise<Connection>[]> = { reader: [], writer: [] }
  let closed = false

  async function open(role: Role): Promise<Connection> {
    const connection = native.CreateConnection(path)
    try {
      await native.QueryAsyncConnection(connection, roleStatements(role).join('; '), 'TSV')
      return connection
    } catch (error) {
      native.CloseConnection(connection)
      throw error
    }
  }

  function refill(role: Role): void {
    while (!closed && spares[role].length < sparesPerRole) {
      const spare = open(role)
      spare.catch(() => undefined)
      spares[role].push(spare)
    }
  }

  await native.QueryAsyncConnection(anchor, 'SELECT 1', 'TSV')
  refill('reader')
  return {
    take(role) {
      const spare = spares[role].shift() ?? open(role)
      setImmediate(refill, role)
      return spare
    },
    drop(connection) {
      native.CloseConnection(connection)
    },
    async kill(marker) {
      const connection = await open('writer')
      try {
        const text = `KILL QUERY WHERE startsWith(query, ${sqlString(marker)}) ASYNC`
        await native.QueryAsyncConnection(connection, text, 'TSV')
      } finally {
        native.CloseConnection(connection)
      }
    },
    async close() {
      closed = true
      const open = await Promise.allSettled([...spares.reader, ...spares.writer])
      for (const spare of open) if (spare.status === 'fulfilled') native.CloseConnection(spare.value)
      native.CloseConnection(anchor)
    },
  }
}
