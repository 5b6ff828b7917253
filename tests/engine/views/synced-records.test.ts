import { afterAll, beforeAll, expect, test } from 'vitest'
import { viewTargets } from '../../../clickhouse/rollups/list-rollups.ts'
import { queryRows, type TestDatabase } from '../../support/database.ts'
import { createMigratedDatabase } from '../../support/migrated-database.ts'

// In the shared database, `reports delete` of other files has work tables.
let db: TestDatabase

beforeAll(async () => {
  db = await createMigratedDatabase()
})

afterAll(() => db?.drop())

/** Tables that no view fills, and that are no evidence. */
const unsynced: Readonly<Record<string, string>> = {
  reports: 'stored again by the collector, or by the same import',
  report_types: 'written again by migrate',
  schema_migrations: 'statements of migrations can be repeated',
  migration_steps: 'a fill goes on at its last step',
  import_leases: 'of imports that run',
  collector_logs: 'written again every 5 s while a collector is behind',
}

test('an insert into each table of records is on the disk when it is acknowledged, and so is a merge', async () => {
  const synced = (setting: string) => `countSubstrings(engine_full, '${setting} = 1') = 1`
  const filled = await viewTargets(db.writer)
  const rows = await queryRows(
    db.writer,
    `SELECT name, ${['fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge'].map(synced).join(' AND ')}
     FROM system.tables
     WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`,
  )
  const isRecord = (name: string) => name.endsWith('_history') || !filled.includes(name)
  const records = rows.filter(([name]) => isRecord(String(name)) && !(String(name) in unsynced))
  expect(records.length).toBeGreaterThan(10)
  expect(records.filter(([, isSynced]) => !isSynced)).toEqual([])
})
