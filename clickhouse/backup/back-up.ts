import { randomBytes } from 'node:crypto'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { name as named, render, type Sql, sql } from '../../queries/sql/sql.ts'
import { type BackupPlace, backupTarget, contentsTable, storedDatabase } from './backup-target.ts'
import { findDatabaseName, runBackup } from './run-backup.ts'
import { partsWithout, readParts } from './stored-parts.ts'

export interface BackedUp {
  /** Rows of all tables; bytes of the backup. */
  readonly rows: number
  readonly bytes: number
  /** Tables that changed during the backup: a restore compares the other parts. */
  readonly changed: readonly string[]
}

export interface BackUpOptions {
  /** Name of an earlier backup, whose files are not stored again. */
  readonly base?: string | undefined
  /** Called every 250 ms. */
  readonly onProgress?: ((step: string) => void) | undefined
}

/** Each table is consistent, but not with the others. Throws an Error of one line. */
export async function backUp(
  database: Database,
  name: string,
  place: BackupPlace,
  { base, onProgress }: BackUpOptions = {},
): Promise<BackedUp> {
  const own = named(await findDatabaseName(database))
  const before = await readParts(database)
  const increment = base === undefined ? sql`` : sql`, base_backup = ${backupTarget(base, 'data', place)}`
  const whole = sql`BACKUP DATABASE ${own} AS ${storedDatabase} TO ${backupTarget(name, 'data', place)}`
  const rows = before.reduce((sum, part) => sum + part.rows, 0)
  const bytes = await runBackup(database, whole, increment, () => onProgress?.(`Backing up ${rows} rows`))
  const after = await readParts(database)
  // A part from before to after is in the backup, and the others may be.
  const parts = partsWithout(before, partsWithout(before, after))
  const changed = [...partsWithout(before, after), ...partsWithout(after, before)]
  const changedTables = new Set(changed.map(({ table }) => table))
  const contents = `${contentsTable}_${randomBytes(8).toString('hex')}`
  const table = named(contents)
  const run = (statement: Sql) => database.command(render(statement).text)
  await run(sql`CREATE TABLE ${table} ${contentsColumns}`)
  try {
    const described = parts.map((part) => ({ ...part, is_whole: !changedTables.has(part.table) }))
    await insertRows(database, contents, described)
    const tables = sql`
      TABLE ${own}.${table} AS ${storedDatabase}.${named(contentsTable)},
      TABLE ${own}.schema_migrations AS ${storedDatabase}.schema_migrations`
    await runBackup(database, sql`BACKUP ${tables} TO ${backupTarget(name, 'contents', place)}`)
  } finally {
    await run(sql`DROP TABLE IF EXISTS ${table} SYNC`)
  }
  return { rows, bytes, changed: [...changedTables].sort() }
}

const contentsColumns = sql`(
    table     String COMMENT 'Table of the part',
    checksum  String COMMENT 'Checksum of its files',
    rows      UInt64 COMMENT 'Its rows',
    is_whole  Bool COMMENT 'Whether the backup has no other parts'
)
ENGINE = MergeTree
ORDER BY (table, checksum)
COMMENT 'Parts of the backup'`
