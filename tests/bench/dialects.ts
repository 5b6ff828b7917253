import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { bigTenant } from './bench-data.ts'

/** The words in which ClickHouse and DuckDB differ, so that both are asked the same question in the way of each. */
export interface Dialect {
  readonly tenant: string
  /** The window's bounds, and the start of the window of equal length before it. */
  readonly from: string
  readonly to: string
  readonly before: string
  readonly everyColumn: string
  /** Of a moment, in seconds. */
  epoch(column: string): string
  /** Seconds since the Unix epoch at which the row's minute or hour starts. */
  bucket(size: 'minute' | 'hour'): string
  countIf(condition: string): string
  /** The aggregate of the rows that meet a condition. */
  aggregateIf(aggregate: 'min' | 'max', column: string, condition: string): string
  /** The page without its query. */
  readonly page: string
  countDistinct(expression: string): string
  any(column: string): string
  /** The distinct values as a list. */
  valuesOf(column: string): string
  mostFrequent(expression: string, limit: number): string
  /** Of the latest row in which it is not null. */
  latest(column: string): string
}

/** ClickHouse with bound parameters, so that its statements are the same text each time. */
export const clickHouse: Dialect = {
  tenant: '{tenant:UUID}',
  from: `{from:DateTime64(3, 'UTC')}`,
  to: `{to:DateTime64(3, 'UTC')}`,
  before: `{before:DateTime64(3, 'UTC')}`,
  everyColumn: '*',
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

/** DuckDB; `$name` stands for a value that `inDuckDb` puts in. */
export const duckDb: Dialect = {
  tenant: '$tenant',
  from: '$from',
  to: '$to',
  before: '$before',
  everyColumn: '*',
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

/** A window's values for ClickHouse's parameters. */
export function clickHouseParams({ from, to }: { readonly from: number; readonly to: number }) {
  const time = (moment: number) => toClickHouseTime(new Date(moment))
  return { tenant: bigTenant, from: time(from), to: time(to), before: time(from - (to - from)) }
}

/** A DuckDB statement with a window's values. */
export function inDuckDb(statement: string, window: { readonly from: number; readonly to: number }): string {
  const { tenant, ...times } = clickHouseParams(window)
  const filled = statement.replaceAll('$tenant', `'${tenant}'::UUID`)
  return Object.entries(times).reduce(
    (text, [name, time]) => text.replaceAll(`$${name}`, `TIMESTAMP '${time}'`),
    filled,
  )
}
