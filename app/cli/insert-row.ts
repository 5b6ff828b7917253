import type { Database } from '../../queries/clickhouse.ts'

/** Stores one row. Its values travel as data beside the statement; columns it leaves out get their defaults. */
export async function insertRow(
  database: Database,
  table: 'tenants' | 'sites' | 'api_keys',
  row: Readonly<Record<string, string | readonly string[]>>,
): Promise<void> {
  await database.insert(`INSERT INTO ${table} FORMAT JSONEachRow`, Buffer.from(JSON.stringify(row)))
}
