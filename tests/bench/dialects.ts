import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { bigTenant } from './bench-data.ts'

/** SQL in which ClickHouse and DuckDB differ. */
export interface Dialect {
  readonly tenant: string
  /** The window's bounds, and the start of the window of equal length before it. */
  readonly from: string
  readonly to: string
  readonly before: string
  /** Seconds since the Unix epoch. */
  epoch(column: string): string
  /** Start of the row's minute or hour, in seconds since the Unix epoch. */
  bucket(size: 'minute' | 'hour'): string
  countIf(condition: string): string
  aggregateIf(aggregate: 'min' | 'max', column: string, condition: string): string
  /** URL of the page without its query. */
  readonly page: string
  countDistinct(expression: string): string
  any(column: string): string
  /** Distinct values as a list. */
  valuesOf(column: string): string
  mostFrequent(expression: string, limit: number): string
  /** Of the latest row with a value. */
  latest(column: string): string
}

/** Bound parameters leave a statement's text equal in each run. */
export const clickHouse: Dialect = {
  tenant: '{tenant:UUID}',
  from: `{from:DateTime64(3, 'UTC')}`,
  to: `{to:DateTime64(3, 'UTC')}`,
  before: `{before:DateTime64(3, 'UTC')}`,
  epoch: (column) => `toUnixTimestamp(${column})`,
  bucket: (size) => `toUnixTimestamp(toStartOf${size === 'hour' ? 'Hour' : 'Minute'}(received_at))`,
  countIf: (condition) => `countIf(${condition})`,
  aggregateIf: (aggregate, column, condition) => `${aggregate}If(${column}, ${condition})`,
  page: 'cutQueryString(document_url)',
  countDistinct: (expression) => `uniqExact(${expression})`,
  any: (column) => `any(${column})`,
  valuesOf: (column) => `groupUniqArray(${column})`,
  mostFrequent: (expression, limit) => `topK(${limit})(${expression})`,
  latest: (column) => `argMax(${column}, (received_at, id))`,
}

/** `bindDuckDb` replaces each `$name`. */
export const duckDb: Dialect = {
  tenant: '$tenant',
  from: '$from',
  to: '$to',
  before: '$before',
  epoch: (column) => `epoch(${column})`,
  bucket: (size) => `epoch(date_trunc('${size}', received_at))`,
  countIf: (condition) => `count(*) FILTER (WHERE ${condition})`,
  aggregateIf: (aggregate, column, condition) => `${aggregate}(${column}) FILTER (WHERE ${condition})`,
  page: `split_part(document_url, '?', 1)`,
  countDistinct: (expression) => `count(DISTINCT ${expression})`,
  any: (column) => `any_value(${column})`,
  valuesOf: (column) => `list(DISTINCT ${column})`,
  mostFrequent: (expression, limit) => `approx_top_k(${expression}, ${limit})`,
  latest: (column) => `arg_max(${column}, received_at)`,
}

export function clickHouseParams({ from, to }: { readonly from: number; readonly to: number }) {
  const time = (moment: number) => toClickHouseTime(new Date(moment))
  return { tenant: bigTenant, from: time(from), to: time(to), before: time(from - (to - from)) }
}

export function bindDuckDb(statement: string, window: { readonly from: number; readonly to: number }): string {
  const { tenant, ...times } = clickHouseParams(window)
  const filled = statement.replaceAll('$tenant', `'${tenant}'::UUID`)
  return Object.entries(times).reduce(
    (text, [name, time]) => text.replaceAll(`$${name}`, `TIMESTAMP '${time}'`),
    filled,
  )
}
