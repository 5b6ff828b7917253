import type { z } from 'zod'
import type { Lane } from '../clickhouse/query-pools.ts'
import type { Sql } from './sql.ts'

/** One question to the store: its statement, and the shape every row of its answer must have. */
export interface Query<Row> {
  /** camelCase, as the function that builds it; stands in log_comment. */
  readonly name: string
  readonly statement: Sql
  /** Column aliases are exactly the keys of this shape. */
  readonly row: z.ZodType<Row>
  /** The lane it waits in; `question` by default. */
  readonly lane?: Lane
}

/** Every row of a query's answer. */
export type Read = <Row>(query: Query<Row>) => Promise<Row[]>

/** Rows of queries that are run side by side. */
export type ReadAll = <Row>(queries: readonly Query<Row>[]) => Promise<Row[]>
