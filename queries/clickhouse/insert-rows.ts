import { name, render, sql } from '../sql/sql.ts'
import type { Database } from './client.ts'

/** A column that the table lacks is a defect of ours, and must not be passed over; no row may wait. */
const settings = { input_format_skip_unknown_fields: 0, async_insert: 0, wait_end_of_query: 1 } as const

/**
 * Stores rows, in one insert; none of no rows. Their values travel as data beside the statement, times as
 * `toClickHouseTime` writes them; columns that a row leaves out get their defaults. Throws what the store says.
 */
export async function insertRows(
  database: Pick<Database, 'insert'>,
  table: string,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return
  const { text } = render(sql`INSERT INTO ${name(table)} FORMAT JSONEachRow`)
  await database.insert(text, Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')), settings)
}
