import type { Dialect } from './dialects.ts'
import type { QueryResult } from './query-result.ts'

/** One query of a dashboard, for the API and as SQL over the wide table. */
export interface BenchQuery {
  readonly name: string
  /** Length of the window. */
  readonly days: number
  /** API path from `/v1` on, without the window. */
  readonly path: string
  /** Page that is measured; 1 by default. */
  readonly page?: number
  // biome-ignore lint/suspicious/noExplicitAny: the contract tests check bodies
  readonly parseBody: (body: any) => QueryResult
  /** Columns named `key…` form a row's key, `n` or `volume` its count; `total` and `groups` count all rows. */
  readonly sql: (dialect: Dialect) => string
  /** Least ratio of plain SQL's time to the API's at 100 million reports; 1 by default. */
  readonly target?: number
}
