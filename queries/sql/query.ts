import type { z } from 'zod'
import type { Sql } from './sql.ts'

export type PoolName = 'query' | 'export' | 'lookup' | 'unknownKey' | 'unknownToken' | 'maintenance'

export interface Query<Row> {
  /** camelCase name of the function that builds it; part of log_comment. */
  readonly name: string
  readonly statement: Sql
  /** Its keys are the statement's column aliases. */
  readonly row: z.ZodType<Row>
  /** `query` by default. */
  readonly pool?: PoolName
  /** Reads few rows for any window, so planning is most of its time. */
  readonly fewRows?: boolean
  /** Reads rows of every tenant, or runs before its tenant is known. */
  readonly everyTenant?: true
}

/** Its bytes are sent as ClickHouse writes them. */
export interface ExportQuery {
  readonly name: string
  readonly statement: Sql
  /** A format of ClickHouse's. */
  readonly format: string
}

export type Read = <Row>(query: Query<Row>) => Promise<Row[]>

/** Rows of a list, at most `limit` after a position. */
export interface PageOf<Position> {
  readonly after: Position | undefined
  readonly limit: number
}

export interface Reader {
  readonly read: Read
  /** Runs queries concurrently and concatenates their rows. */
  readonly readAll: <Row>(queries: readonly Query<Row>[]) => Promise<Row[]>
}

export const toReader = (read: Read): Reader => ({
  read,
  readAll: async (queries) => (await Promise.all(queries.map((query) => read(query)))).flat(),
})

/** Milliseconds since the Unix epoch, 0 for never; the id breaks ties. */
export type TimePosition<Time extends string> = Readonly<Record<Time, number>> & { readonly id: string }
