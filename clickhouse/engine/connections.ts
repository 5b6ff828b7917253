import { type Role, roleStatements } from './access.ts'
import type { Connection, Native, QueryResult } from './native.ts'
import { createReaderConnections, type ReaderBounds } from './reader-connections.ts'
import { sqlString } from './sql-literal.ts'

/**
 * Runs things on connections that nobody has used before and nobody uses again: in chDB the rows of a failed query and
 * every setting stay with their connection. Readers' are used again where that cannot show.
 */
export type Connections = {
  /** Gives `work` a fresh connection, with the engine's default rights, and ends it when `work` settles. */
  with<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Runs statements on one fresh connection, with the engine's default rights, and gives what the last one answers. */
  run(statements: readonly string[], format: string): Promise<QueryResult>
  /**
   * The same with a role's rights and limits.
   * @param shape names of all that the statements set, so that a connection serves only requests that set it all anew.
   */
  runAs(role: Role, shape: string, statements: readonly string[], format: string): Promise<QueryResult>
  /** Asks the engine to stop every query whose text begins with the marker. Does not wait for it. */
  kill(marker: string): Promise<void>
  /** Ends the engine; nothing may run any more. */
  close(): Promise<void>
}

/** Opens the data directory; throws when another process holds it. */
export async function openConnections(
  native: Native,
  path: string,
  args: readonly string[],
  readerBounds: ReaderBounds,
): Promise<Connections> {
  // The engine lives as long as one connection does, so this one outlasts all others.
  const anchor = native.CreateConnection(path, args)
  await native.QueryAsyncConnection(anchor, 'SELECT 1', 'TSV')
  const readers = createReaderConnections(native, path, roleStatements('reader'), readerBounds)
  readers.refill()

  async function withFresh<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = native.CreateConnection(path)
    try {
      return await work(connection)
    } finally {
      native.CloseConnection(connection)
    }
  }

  // One call for all statements: each call of its own would cost 0.2 ms and a thread change.
  function runOn(connection: Connection, statements: readonly string[], format: string): Promise<QueryResult> {
    return native.QueryAsyncConnection(connection, statements.join(';\n'), format)
  }

  function run(statements: readonly string[], format: string): Promise<QueryResult> {
    return withFresh((connection) => runOn(connection, statements, format))
  }

  return {
    with: withFresh,
    run,
    runAs(role, shape, statements, format) {
      if (role === 'reader') return readers.use(shape, (connection) => runOn(connection, statements, format))
      return run([...roleStatements(role), ...statements], format)
    },
    async kill(marker) {
      await run([`KILL QUERY WHERE startsWith(query, ${sqlString(marker)}) ASYNC`], 'Null')
    },
    async close() {
      await readers.close()
      native.CloseConnection(anchor)
    },
  }
}
