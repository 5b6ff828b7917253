import { json } from 'node:stream/consumers'
import { inject } from 'vitest'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { createDatabase, queryRows, type TestDatabase } from './database.ts'

/** What migrations make: their tables, then the views of those, as a database of any name takes them. */
export interface MigratedTables {
  readonly tables: readonly string[]
  readonly views: readonly string[]
  /** By table. */
  readonly rows: readonly (readonly [string, readonly object[]])[]
}

/** @param database named default, with every migration. */
export async function readMigratedTables(database: Database): Promise<MigratedTables> {
  const created = await queryRows(
    database,
    "SELECT replaceAll(create_table_query, 'default.', ''), engine LIKE '%View' FROM system.tables WHERE database = 'default'",
  )
  const statements = (areViews: number) =>
    created.filter(([, isView]) => isView === areViews).map(([statement]) => String(statement))
  const rowsOf = async (table: string) => {
    const { data } = (await json(await database.stream(`SELECT * FROM ${table}`, 'JSON'))) as { data: object[] }
    return [table, data] as const
  }
  return {
    tables: statements(0),
    views: statements(1),
    rows: await Promise.all(['schema_migrations', 'report_types'].map(rowsOf)),
  }
}

/** A database of its own as `migrate` makes one, in half of its time. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const { tables, views, rows } = inject('migratedTables')
  const database = await createDatabase()
  for (const statements of [tables, views]) {
    await Promise.all(statements.map((statement) => database.writer.command(statement)))
  }
  await Promise.all(rows.map(([table, given]) => insertRows(database.writer, table, given)))
  return database
}
