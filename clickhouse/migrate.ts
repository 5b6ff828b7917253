import { z } from 'zod'
import type { Database } from '../queries/clickhouse/database.ts'
import { insertRows } from '../queries/clickhouse/insert-rows.ts'
import type { Query } from '../queries/sql/query.ts'
import { sql, texts } from '../queries/sql/sql.ts'
import { everyShard } from './cluster/every-shard.ts'
import type { Replication } from './cluster/on-cluster.ts'
import type { Cluster } from './cluster/open-cluster.ts'
import { type Apply, prepareCluster } from './cluster/prepare-cluster.ts'
import type { Wait } from './cluster/wait-until.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { createMigrationSteps, type MigrationSteps, readMigrationSteps } from './migration-steps.ts'
import { missingReportTypes, writeReportTypes } from './report-types.ts'
import { changedRollups } from './rollups/changed-rollups.ts'
import { listAggregates, rawTable } from './rollups/list-rollups.ts'
import { rebuildRollups } from './rollups/rebuild-rollups.ts'
import { listRollupMonths } from './rollups/rollup-months.ts'
import { unfinishedTenants } from './rollups/unfinished-tenants.ts'

export interface MigrateOptions {
  readonly onStep?: (step: string) => void
  /** This folder's `migrations/` by default. */
  readonly folder?: URL
  /** Options of the cluster, if the database is part of one. */
  readonly cluster?: ClusterOptions | undefined
  /** Runs a fill while no collector stores a block. */
  readonly hold?: <Result>(stores: readonly Database[], task: () => Promise<Result>) => Promise<Result>
}

interface ClusterOptions {
  readonly cluster: Cluster
  readonly replication: Replication
  readonly wait?: Wait
}

// Two concurrent runs write the same row twice; the key includes the checksum, so that neither hides a changed file.
const createMigrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations
(
    version     UInt32 COMMENT 'Its number, from 1 without a gap',
    name        String COMMENT 'Its file in clickhouse/migrations, without .sql',
    checksum    FixedString(64) COMMENT 'Lower-case hexadecimal SHA-256 of the applied file',
    applied_at  DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When its last statement was done'
)
ENGINE = ReplacingMergeTree
ORDER BY (version, checksum)
COMMENT 'Migrations that this database has'`

const listOwnTables: Query<{ name: string }> = {
  name: 'listOwnTables',
  statement: sql`
    SELECT name
    FROM system.tables
    WHERE database = currentDatabase() AND name IN ('schema_migrations', 'report_types')`,
  row: z.object({ name: z.string() }),
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

const listReportedTypes = (reportTypes: readonly string[]): Query<{ report_type: string }> => ({
  name: 'listReportedTypes',
  statement: sql`
    SELECT DISTINCT report_type
    FROM reports
    WHERE report_type IN ${texts(reportTypes)}
    ORDER BY report_type`,
  row: z.object({ report_type: z.string() }),
  pool: 'maintenance',
})

/**
 * Returns the names of the applied migrations. An interrupted run continues when it is repeated. Two runs may be
 * concurrent; no import may run while a rollup is filled. Throws OtherRelease if another release created the database.
 */
export async function migrate(
  database: Database,
  { folder, onStep, cluster, hold = (_, task) => task() }: MigrateOptions = {},
): Promise<string[]> {
  const known = await readMigrations(folder)
  const apply: Apply = cluster
    ? await prepareCluster(cluster.cluster, cluster.replication, { onStep, ...cluster.wait })
    : (statement) => database.command(statement)
  await apply(createMigrationsTable)
  const { pending, newer } = compare(known, await database.read(listAppliedMigrations))
  if (newer.length > 0) throw newerRelease(newer)
  await apply(createMigrationSteps)
  const steps = await readMigrationSteps(database, known)
  for (const migration of pending.filter((migration) => !steps.hasRun(migration))) {
    onStep?.(`Applying ${migration.name}`)
    for (const statement of migration.statements) await apply(statement)
  }
  const changed = await fillReportTypes(database)
  if (pending.length > 0) {
    const stores = cluster ? everyShard(cluster.cluster).map((shard) => shard.database) : [database]
    await fillRollups(stores, pending, steps, hold, onStep)
    const rows = pending.map(({ version, name, checksum }) => ({ version, name, checksum }))
    await insertRows(database, 'schema_migrations', rows)
  }
  if (changed.length > 0) {
    onStep?.(`${changed.join(', ')} changed: run "rollups rebuild" to count the reports stored before`)
  }
  return pending.map(({ name }) => name)
}

/** Includes `report_types` if one is missing. Throws OtherRelease if other files were applied. */
export async function compareMigrations(
  database: Pick<Database, 'read'>,
  known: readonly Migration[],
): Promise<{ readonly pending: string[]; readonly newer: string[] }> {
  const tables = (await database.read(listOwnTables)).map(({ name }) => name)
  const applied = tables.includes('schema_migrations') ? await database.read(listAppliedMigrations) : []
  const { pending, newer } = compare(known, applied)
  const names = pending.map(({ name }) => name)
  const lacksTypes = tables.includes('report_types') && (await missingReportTypes(database)).length > 0
  return { pending: lacksTypes ? [...names, 'report_types'] : names, newer }
}

/** Pending migrations. Throws OtherRelease if another release, also a newer one, created the database. */
export async function lackingMigrations(
  database: Pick<Database, 'read'>,
  known: readonly Migration[],
): Promise<string[]> {
  const { pending, newer } = await compareMigrations(database, known)
  if (newer.length > 0) throw newerRelease(newer)
  return pending
}

/** None for a newer release's database, so that both can serve. */
export const pendingMigrations = async (database: Pick<Database, 'read'>, known: readonly Migration[]) =>
  (await compareMigrations(database, known)).pending

/** Writes `report_types`; returns the changed types that have reports, whose rollups can be out of date. */
async function fillReportTypes(database: Database): Promise<string[]> {
  const tables = await database.read(listOwnTables)
  if (!tables.some(({ name }) => name === 'report_types')) return []
  const changed = await writeReportTypes(database)
  if (changed.length === 0) return []
  return (await database.read(listReportedTypes(changed))).map(({ report_type }) => report_type)
}

async function fillRollups(
  stores: readonly Database[],
  pending: readonly Migration[],
  steps: MigrationSteps,
  hold: NonNullable<MigrateOptions['hold']>,
  onStep: MigrateOptions['onStep'],
): Promise<void> {
  const [first] = stores
  const changed = first ? changedRollups(pending, await listAggregates(first)) : []
  if (changed.length === 0) return
  const months = await Promise.all(stores.map((store) => listRollupMonths(store, [rawTable])))
  if (months.flat().length === 0) return
  // Repeating a statement could drop filled rows.
  await steps.recordRun(pending)
  const tenants = (await Promise.all(stores.map(unfinishedTenants))).flat()
  if (tenants.length > 0) {
    onStep?.(
      `An import of tenant ${tenants.join(', ')} was interrupted: run it again, then "rollups check"; filling the rollup now would count its last batch twice`,
    )
  }
  const versions = new Map(changed.map(({ table, version }) => [table, version]))
  await hold(stores, () =>
    rebuildRollups(stores, {
      tables: [...versions.keys()],
      skips: (table, month) => steps.isFilled(table, month, versions.get(table) ?? 0),
      onRebuilt: (table, month) => steps.recordFill(table, month, versions.get(table) ?? 0),
      onProgress: (done, total, step) => {
        if (done < total) onStep?.(`Filling ${step}, ${done + 1} of ${total}`)
      },
    }),
  )
}

/** The database was created by another release. The message has one line with both. */
export class OtherRelease extends Error {
  readonly found: string
  readonly fix: string

  constructor(found: string, fix: string) {
    super(`${found}: ${fix}`)
    this.found = found
    this.fix = fix
  }
}

const newerRelease = (newer: readonly string[]) =>
  new OtherRelease(
    `The database is from a newer release, with ${newer.join(', ')}`,
    'run that release or a later one, or restore a backup from before its "migrate"',
  )

function compare(known: readonly Migration[], applied: readonly Applied[]): { pending: Migration[]; newer: string[] } {
  const pending = known.filter(({ version, name, checksum }) => {
    const rows = applied.filter((row) => row.version === version)
    if (rows.some((row) => row.checksum !== checksum)) {
      throw new OtherRelease(
        `The database has different migrations from this release, starting with ${name}; it was not changed`,
        'run the release that created it, or use another DATA_DIR (on a server, another database in CLICKHOUSE_URL)',
      )
    }
    return rows.length === 0
  })
  return { pending, newer: applied.filter(({ version }) => version > known.length).map(({ name }) => name) }
}
