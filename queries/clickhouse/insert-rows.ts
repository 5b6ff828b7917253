import { name, render, sql } from '../sql/sql.ts'
import type { Database } from './database.ts'

/** An unknown column is our own defect; rows must not be buffered. */
const settings = { input_format_skip_unknown_fields: 0, async_insert: 0, wait_end_of_query: 1 } as const

/**
 * One insert, or none without rows; times have the form of `toClickHouseTime`. Throws ClickHouse's own errors.
 * @param token deduplication token: only the first insert with a token is stored, while the table remembers its blocks.
 */
export async function insertRows(
  database: Pick<Database, 'insert'>,
  table: string,
  rows: readonly object[],
  token?: string,
): Promise<void> {
  if (rows.length === 0) return
  const { text } = render(sql`INSERT INTO ${name(table)} FORMAT JSONEachRow`)
  await database.insert(text, Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')), {
    settings: { ...settings, ...(token !== undefined && { insert_deduplication_token: token }) },
  })
}
