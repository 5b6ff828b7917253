import { z } from 'zod'
import type { Database } from '../queries/clickhouse/client.ts'
import { insertRows } from '../queries/clickhouse/insert-rows.ts'
import type { Query } from '../queries/sql/query.ts'
import { sql, texts } from '../queries/sql/sql.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { rebuildRollups } from './rebuild-rollups.ts'
import { listRollups, type Rollup, viewTarget } from './rollups.ts'
import { unfinishedTenants } from './unfinished-tenants.ts'

/** What a migration run takes beside its database. */
export interface MigrateOptions {
  /** Hears in words what is done next: a migration, or one month of a rollup that is filled. */
  readonly onStep?: (what: string) => void
  /** Where the migrations lie, this folder's `migrations/` by default. */
  readonly folder?: URL
}

// Two runs at once write the same row twice; the key holds the checksum, so that neither hides a changed file.
const createLedger = `
CREATE TABLE IF NOT EXISTS schema_migrations
(
    version     UInt32 COMMENT 'Its number, from 1 without a gap',
    name        String COMMENT 'Its file in clickhouse/migrations, without .sql',
    checksum    FixedString(64) COMMENT 'Lower-case hexadecimal SHA-256 of the file as it was applied',
    applied_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When its last statement was done'
)
ENGINE = ReplacingMergeTree
ORDER BY (version, checksum)
COMMENT 'Migrations that this database has'`

const findMigrationLedger: Query<{ tables: number }> = {
  name: 'findMigrationLedger',
  statement: sql`SELECT count() AS tables FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migrations'`,
  row: z.object({ tables: z.int() }),
  pool: 'lookup',
}

const appliedRow = z.object({ version: z.int(), name: z.string(), checksum: z.string() })
type Applied = z.infer<typeof appliedRow>

const listAppliedMigrations: Query<Applied> = {
  name: 'listAppliedMigrations',
  statement: sql`SELECT version, name, checksum FROM schema_migrations FINAL ORDER BY version`,
  row: appliedRow,
  pool: 'lookup',
}

/**
 * Brings a database up to the code's migrations, as a user that may write; gives the names of those it applied. Rollups
 * that are new, whose view was made anew, or that are made from such, are filled from the reports that are there, while no
 * import may run. A run that was cut off is repeated whole, and two at once do no harm. Throws an Error of one line when an
 * applied file has changed or the database has a migration that the code does not know.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const known = await readMigrations(options.folder)
  await database.command(createLedger)
  const applied = await database.read(listAppliedMigrations)
  refuseUnknown(known, applied)
  const pending = withoutApplied(known, applied)
  if (pending.length === 0) return []
  for (const { name, statements } of pending) {
    options.onStep?.(`Applying ${name}`)
    for (const statement of statements) await database.command(statement)
  }
  // Before any is noted, so that a filling that was cut off is done again.
  await fillRollups(database, pending, options.onStep)
  const rows = pending.map(({ version, name, checksum }) => ({ version, name, checksum }))
  await insertRows(database, 'schema_migrations', rows)
  return rows.map(({ name }) => name)
}

/**
 * Names of the code's migrations that a database lacks; any user that reads may ask. A database ahead of the code lacks
 * nothing, so that the old release serves on while a new one is rolled out. Throws as `migrate` does on a changed file.
 * @param known the code's, of `readMigrations`.
 */
export async function pendingMigrations(database: Database, known: readonly Migration[]): Promise<string[]> {
  const [ledger] = await database.read(findMigrationLedger)
  const applied = ledger?.tables ? await database.read(listAppliedMigrations) : []
  return withoutApplied(known, applied).map(({ name }) => name)
}

/** The rollups that lack a month of the reports, and those that were remade; none where there are no reports. */
const listRollupsToFill = (remade: readonly string[]): Query<{ table: string }> => ({
  name: 'listRollupsToFill',
  statement: sql`SELECT DISTINCT tables.name AS table
    FROM system.tables AS tables
    CROSS JOIN (SELECT DISTINCT partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'reports' AND active) AS months
    WHERE tables.database = currentDatabase() AND tables.engine = 'AggregatingMergeTree'
      AND (tables.name IN ${texts(remade)}
        OR (tables.name, months.partition_id) NOT IN (SELECT table, partition_id FROM system.parts WHERE database = currentDatabase() AND active))`,
  row: z.object({ table: z.string() }),
})

/** The rollups whose views some migrations make, and all that are made from them. */
function remadeBy(migrations: readonly Migration[], rollups: readonly Rollup[]): string[] {
  const remade = new Set(migrations.flatMap(({ statements }) => statements.map(viewTarget)))
  // Each comes after the one it is made from.
  for (const { table, source } of rollups) if (remade.has(source)) remade.add(table)
  return rollups.map(({ table }) => table).filter((table) => remade.has(table))
}

/**
 * Fills the rollups that a run of migrations made or made anew, and those that lack a month of the reports, as one that
 * was cut off can have left them. A rollup of some types can lack a month rightly, and is filled again without harm.
 */
async function fillRollups(
  database: Database,
  applied: readonly Migration[],
  onStep?: (what: string) => void,
): Promise<void> {
  const rollups = await listRollups(database)
  const toFill = await database.read(listRollupsToFill(remadeBy(applied, rollups)))
  const tables = rollups.map(({ table }) => table).filter((table) => toFill.some((one) => one.table === table))
  if (tables.length === 0) return
  const tenants = await unfinishedTenants(database)
  if (tenants !== '') {
    onStep?.(
      `An import of tenant ${tenants} was cut off: run it again, then "rollups check", because what is filled now would count its last batch twice`,
    )
  }
  await rebuildRollups(database, {
    tables,
    onProgress: (done, total, what) => {
      if (done < total) onStep?.(`Filling ${what}, ${done + 1} of ${total}`)
    },
  })
}

function refuseUnknown(known: readonly Migration[], applied: readonly Applied[]): void {
  const ahead = applied.filter(({ version }) => version > known.length)
  if (ahead.length === 0) return
  const names = ahead.map(({ name }) => name).join(', ')
  throw new Error(`The database is ahead of this code: it has ${names}; run the release that brought it`)
}

function withoutApplied(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  return known.filter(({ version, name, checksum }) => {
    const rows = applied.filter((row) => row.version === version)
    if (rows.some((row) => row.checksum !== checksum)) {
      throw new Error(`${name}.sql was changed after this database applied it; put it back and add a new migration`)
    }
    return rows.length === 0
  })
}
