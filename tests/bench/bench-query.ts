import type { Dialect } from './dialects.ts'
import type { Answer } from './query-result.ts'

/** One question of a dashboard, to the API and in SQL over the wide table. */
export interface Question {
  readonly name: string
  /** The window's length. */
  readonly days: number
  /** Of the API, from `/v1`, without the window. */
  readonly path: string
  /** The page that is measured; 1 where it is not given. */
  readonly page?: number
  /** What a 200 body of the API says. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked by the contract's own tests
  readonly read: (body: any) => Answer
  /** The plain question. Columns named `key…` make a row's key, `n` or else `volume` its count; `total` and `groups` tell of all rows. */
  readonly sql: (dialect: Dialect) => string
  /** How many times faster than plain SQL the API must be. */
  readonly target?: number
}
