import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { name as named, render, type Sql, sql } from '../../queries/sql/sql.ts'
import { compareMigrations, OtherRelease } from '../migrate.ts'
import { readMigrations } from '../migration-files.ts'
import { type BackupPlace, backupTarget, contentsTable, storedDatabase } from './backup-target.ts'
import { findDatabaseName, runBackup } from './run-backup.ts'
import { partsWithout, readParts, type StoredPart } from './stored-parts.ts'

export interface Restored {
  readonly tables: number
  readonly rows: number
  /** Parts whose checksum and rows are those of the database that was backed up. */
  readonly comparedParts: number
}

/**
 * Restores into a database with only the rows of migrations, and checks each file's checksum. Throws an Error of one
 * line; then drop the database.
 * @param onStep called before each step.
 */
export async function restore(
  database: Database,
  name: string,
  place: BackupPlace,
  onStep: (step: string) => void = () => undefined,
): Promise<Restored> {
  await requireEmpty(database)
  const own = named(await findDatabaseName(database))
  const run = (statement: Sql) => database.command(render(statement).text)
  onStep('Reading the contents of the backup')
  const contents = backupTarget(name, 'contents', place)
  const restoreTable = (table: Sql) =>
    runBackup(database, sql`RESTORE TABLE ${storedDatabase}.${table} AS ${own}.${table} FROM ${contents}`)
  // An unknown backup name fails here, before the migrated database is changed.
  await restoreTable(named(contentsTable))
  const parts = await database.read(listContents)
  await dropTables(database, run)
  await restoreTable(sql`schema_migrations`)
  await rejectNewerBackup(database)
  await dropTables(database, run)
  onStep('Restoring the tables')
  const whole = sql`RESTORE DATABASE ${storedDatabase} AS ${own} FROM ${backupTarget(name, 'data', place)}`
  await runBackup(database, whole, sql`, allow_different_database_def = true, structure_only = true`)
  const tables = (await database.read(listTables)).filter(({ engine }) => engine.endsWith('MergeTree'))
  // A merge would replace parts of the backup.
  for (const { table } of tables) await run(sql`SYSTEM STOP MERGES ${own}.${named(table)}`)
  try {
    onStep('Restoring the rows')
    await runBackup(database, whole, sql`, allow_different_database_def = true`)
    const restored = await readParts(database)
    requireParts(parts, restored)
    for (const [index, { table }] of tables.entries()) {
      onStep(`Checking ${table}, ${index + 1} of ${tables.length}`)
      await checkTable(database, table)
    }
    const rows = restored.reduce((sum, part) => sum + part.rows, 0)
    return { tables: tables.length, rows, comparedParts: parts.length }
  } finally {
    for (const { table } of tables) await run(sql`SYSTEM START MERGES ${own}.${named(table)}`)
  }
}

const tableRow = z.object({ table: z.string(), engine: z.string(), rows: rowCount })

const listTables: Query<z.infer<typeof tableRow>> = {
  name: 'listTables',
  statement: sql`
    SELECT name AS table, engine, ifNull(total_rows, 0) AS rows
    FROM system.tables
    WHERE database = currentDatabase()
    ORDER BY engine LIKE '%View' DESC, name`,
  row: tableRow,
  pool: 'maintenance',
}

/** Tables with rows in a database without a tenant. */
const filledByMigrate = ['schema_migrations', 'migration_steps', 'report_types']

async function requireEmpty(database: Database): Promise<void> {
  const filled = (await database.read(listTables)).filter(
    ({ table, rows }) => rows > 0 && !filledByMigrate.includes(table),
  )
  if (filled.length === 0) return
  const names = filled.slice(0, 3).map(({ table }) => table)
  const others = filled.length - names.length
  throw new Error(
    `The database has rows in ${names.join(', ')}${others > 0 ? ` and ${others} other tables` : ''}: restore into an empty database: another DATA_DIR (on a server, another database in CLICKHOUSE_URL)`,
  )
}

async function dropTables(database: Database, run: (statement: Sql) => Promise<void>): Promise<void> {
  for (const { table, engine } of await database.read(listTables)) {
    const kind = engine.endsWith('View') ? sql`VIEW` : sql`TABLE`
    await run(sql`DROP ${kind} IF EXISTS ${named(table)} SYNC`)
  }
}

type ContentsPart = StoredPart & { readonly is_whole: boolean }

const listContents: Query<ContentsPart> = {
  name: 'listBackupContents',
  statement: sql`SELECT table, checksum, rows, is_whole FROM ${named(contentsTable)}`,
  row: z.object({ table: z.string(), checksum: z.string(), rows: rowCount, is_whole: z.boolean() }),
  pool: 'maintenance',
}

async function rejectNewerBackup(database: Database): Promise<void> {
  const { newer } = await compareMigrations(database, await readMigrations())
  if (newer.length === 0) return
  throw new OtherRelease(`The backup is from a newer release, with ${newer.join(', ')}`, 'restore it with that release')
}

function requireParts(parts: readonly ContentsPart[], restored: readonly StoredPart[]): void {
  const lacking = partsWithout(parts, restored)
  const wholeTables = new Set(parts.filter((part) => part.is_whole).map(({ table }) => table))
  const added = partsWithout(restored, parts).filter(({ table }) => wholeTables.has(table))
  const [part] = [...lacking, ...added]
  if (!part) return
  const counts = `${lacking.length} parts differ, ${added.length} are new`
  throw new Error(`The restored database differs from the original: ${counts}, the first in ${part.table}. Drop it`)
}

const checkRow = z.object({ part_path: z.string(), is_passed: z.coerce.boolean(), message: z.string() })

/** Throws if a file's bytes do not have its checksum. */
async function checkTable(database: Database, table: string): Promise<void> {
  const results = await database.read({
    name: 'checkTable',
    statement: sql`CHECK TABLE ${named(table)} SETTINGS check_query_single_value_result = 0`,
    row: checkRow,
    pool: 'maintenance',
  })
  const broken = results.find(({ is_passed }) => !is_passed)
  if (broken)
    throw new Error(`The part ${broken.part_path} of ${table} is broken; drop the database: ${broken.message}`)
}
