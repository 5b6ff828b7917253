import type { Database } from '../../queries/clickhouse/database.ts'
import { type Bound, join, name, render, type Sql, sql } from '../../queries/sql/sql.ts'

/**
 * Inserts the next version of a row with changed columns. Its updated_at is later than any before, even if clocks
 * differ.
 */
export async function insertNextRow(
  database: Pick<Database, 'command'>,
  table: 'tenants' | 'sites' | 'api_keys' | 'monitored_pages' | 'alert_destinations' | 'report_deletions',
  condition: Sql,
  changes: Readonly<Record<string, Bound | Sql | undefined>>,
): Promise<void> {
  const next = { ...changes, updated_at: sql`greatest(now64(3), updated_at + toIntervalMillisecond(1))` }
  const replaced = Object.entries(next).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${value} AS ${name(column)}`],
  )
  const { text, params } = render(sql`
    INSERT INTO ${name(table)}
    SELECT * REPLACE (${join(replaced, ', ')})
    FROM (SELECT * FROM ${name(table)} FINAL WHERE ${condition})`)
  await database.command(text, { params })
}
