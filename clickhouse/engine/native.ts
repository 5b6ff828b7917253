import { createRequire } from 'node:module'

/** An opaque handle of the addon. It runs one query at a time and must not be closed while one runs. */
export type Connection = { readonly __connection: unique symbol }

/** A result that is complete in memory. `rowsRead` counts result rows, not rows read from storage. */
export type QueryResult = { bytes: Buffer; elapsed: number; rowsRead: number; bytesRead: number }

type InsertResult = { rowsWritten: number; bytesWritten: number; elapsed: number }

/** What the engine's own parser says of a text. `queryClass`: 0 reads, 1 and 2 write, 3 control or outside, 4 unknown. */
export type QueryAnalysis = { statementCount: number; queryClass: number }

type StreamHandle = { readonly __stream: unique symbol }

type StreamPart = { done: boolean; bytes: Buffer; numRows: number }

/** The part of the chDB addon the engine uses; the npm package's own API hides raw formats and whole statements. */
export type Native = {
  CreateConnection(path: string, args?: readonly string[]): Connection
  CloseConnection(connection: Connection): void
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<QueryResult>
  InsertRawAsyncConnection(
    connection: Connection,
    head: string,
    data: Buffer,
    countLines: boolean,
  ): Promise<InsertResult>
  DurableClassifyAsync(connection: Connection, sql: string, database: string): Promise<QueryAnalysis>
  /** Blocks its thread while the query is planned, so it belongs in a worker. */
  StreamQuery(connection: Connection, sql: string, format: string): StreamHandle
  StreamFetch(stream: StreamHandle): Promise<StreamPart>
  StreamCancel(stream: StreamHandle): void
}

/** Loads the addon of this platform, or throws the loader's one-line diagnosis. */
export function loadNative(): Native {
  const require = createRequire(import.meta.url)
  const fromPackage = createRequire(require.resolve('chdb'))
  return (fromPackage('./dist/loader.js') as { loadNative(): Native }).loadNative()
}
