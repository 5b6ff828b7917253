import { z } from 'zod'
import type { Database } from '../queries/clickhouse/database.ts'
import type { Query } from '../queries/sql/query.ts'
import { rowCount } from '../queries/sql/rows.ts'
import { name, sql } from '../queries/sql/sql.ts'
import { lackingMigrations } from './migrate.ts'
import { readMigrations } from './migration-files.ts'
import { readMigrationSteps } from './migration-steps.ts'
import { changedRollups, newRollups } from './rollups/changed-rollups.ts'
import { listAggregates, rawTable } from './rollups/list-rollups.ts'

/** A rollup that is filled from the rows of its source. */
interface PlannedFill {
  readonly rollup: string
  readonly months: number
  readonly rows: number
}

export interface MigrationPlan {
  /** Migrations that `migrate` would apply, in order. */
  readonly pending: readonly string[]
  readonly fills: readonly PlannedFill[]
  /** Rows to read, and the estimated seconds. */
  readonly rows: number
  readonly seconds: number
}

/** Lower bound for one rollup: inserts fill all rollups at 190,000 reports per second (2 cores, 16 M reports). */
const fillRowsPerSecond = 400_000

const listTables: Query<{ name: string }> = {
  name: 'listTables',
  statement: sql`SELECT name FROM system.tables WHERE database = currentDatabase()`,
  row: z.object({ name: z.string() }),
}

const countByMonth = (table: string): Query<{ month: string; rows: number }> => ({
  name: 'countByMonth',
  statement: sql`SELECT _partition_id AS month, count() AS rows FROM ${name(table)} GROUP BY month`,
  row: z.object({ month: z.string(), rows: rowCount }),
  pool: 'maintenance',
})

/** Writes nothing. @param folder this folder's `migrations/` by default. Throws OtherRelease as `migrate` does. */
export async function planMigrations(
  database: Database,
  shards: readonly Database[],
  folder?: URL,
): Promise<MigrationPlan> {
  const known = await readMigrations(folder)
  const names = await lackingMigrations(database, known)
  const pending = known.filter((migration) => names.includes(migration.name))
  const [first] = shards
  const [ofFront, ofShard] = await Promise.all([tablesOf(database), tablesOf(first ?? database)])
  const steps = ofFront.includes('migration_steps') ? await readMigrationSteps(database, known) : undefined
  const stored = await listAggregates(first ?? database)
  const fills: PlannedFill[] = []
  for (const { table, source, version } of changedRollups(pending, [...stored, ...newRollups(pending, stored)])) {
    // A rollup that is new has fewer rows than the reports.
    const counted = [source, rawTable].find((candidate) => ofShard.includes(candidate))
    const counts = counted ? await Promise.all(shards.map((shard) => shard.read(countByMonth(counted)))) : []
    const left = counts.flat().filter(({ month }) => !steps?.isFilled(table, month, version))
    const rows = left.reduce((sum, month) => sum + month.rows, 0)
    if (rows > 0) fills.push({ rollup: table, months: new Set(left.map(({ month }) => month)).size, rows })
  }
  const rows = fills.reduce((sum, fill) => sum + fill.rows, 0)
  return { pending: names, fills, rows, seconds: Math.ceil(rows / fillRowsPerSecond) }
}

const tablesOf = async (database: Database) => (await database.read(listTables)).map(({ name }) => name)
