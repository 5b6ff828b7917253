import { randomBytes } from 'node:crypto'
import pRetry from 'p-retry'
import { z } from 'zod'
import type { Database, StatementOptions } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import { poolSettings, queryPools } from '../../queries/clickhouse/query-pools.ts'
import { bucketTime, rawTime } from '../../queries/rollups/columns.ts'
import type { Query } from '../../queries/sql/query.ts'
import { join, name, render, type Sql, sql } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { ddlSettings, ddlTargets } from '../cluster/shared-ddl.ts'
import { logImportSteps } from '../log-import-steps.ts'
import { hasBucket, listAggregates, type Rollup, rawTable } from './list-rollups.ts'
import { groupMonths, inMonths, listRollupMonths, type MonthGroup, type RollupMonth } from './rollup-months.ts'
import { untilVersionsExpire } from './until-versions-expire.ts'

export interface RebuildOptions {
  /**
   * Every rollup by default; a rollup of another is refilled from that table's current rows. A table without a bucket
   * outlives its reports, and their values are added to it.
   */
  readonly tables?: readonly string[] | undefined
  /** True if a month is skipped. */
  readonly skips?: (table: string, partition: string) => boolean
  /** Called after each month. */
  readonly onRebuilt?: (table: string, partition: string) => Promise<void>
  readonly onProgress?: (done: number, total: number, step: string) => void
}

/** Swaps each month atomically with REPLACE PARTITION; reports stored during it can be lost or counted twice. */
export async function rebuildRollups(
  shards: readonly Database[],
  { tables, skips = () => false, onRebuilt, onProgress }: RebuildOptions = {},
): Promise<{ readonly rebuilt: number }> {
  const [first] = shards
  if (!first) return { rebuilt: 0 }
  const all = await listAggregates(first)
  const targets = await ddlTargets(shards)
  for (const target of targets) await dropLeftovers(target, all)
  const unknown = tables?.find((table) => !all.some((rollup) => rollup.table === table))
  if (unknown !== undefined) {
    throw new Error(`${unknown} is not a rollup; the rollups are ${all.map(({ table }) => table).join(', ')}`)
  }
  const rollups = all.filter((rollup) => tables?.includes(rollup.table) ?? hasBucket(rollup))
  const monthTables = [rawTable, ...rollups.filter(hasBucket).map(({ table }) => table)]
  const stores = await Promise.all(
    shards.map(async (database) => ({ database, months: await listRollupMonths(database, monthTables) })),
  )
  const partitions = [...new Set(stores.flatMap(({ months }) => months.map(({ partition }) => partition)))].sort()
  const steps = rollups.flatMap((rollup) =>
    partitions.filter((partition) => !skips(rollup.table, partition)).map((partition) => ({ rollup, partition })),
  )
  let rebuilt = 0
  // One token for all rebuilds, so that the next one completes the steps of a killed one.
  const log = (state: 'started' | 'done') =>
    Promise.all(
      stores.map(({ database, months }) =>
        logImportSteps(database)([...new Set(months.map(({ tenantId }) => tenantId))], 'rebuild', state),
      ),
    )
  await log('started')
  try {
    for (const { rollup, partition } of steps) {
      onProgress?.(rebuilt, steps.length, `${rollup.table} ${partition}`)
      await (hasBucket(rollup) ? rebuildPartition : addPartition)(stores, targets, rollup, partition)
      await onRebuilt?.(rollup.table, partition)
      rebuilt++
    }
  } finally {
    await log('done')
    await untilVersionsExpire()
  }
  onProgress?.(steps.length, steps.length, 'done')
  return { rebuilt }
}

/** A shard's database, and the months of its tenants. */
interface Store {
  readonly database: Database
  readonly months: readonly RollupMonth[]
}

async function rebuildPartition(
  stores: readonly Store[],
  targets: readonly Database[],
  rollup: Rollup,
  partition: string,
) {
  const { table } = rollup
  const temporary = temporaryName(table, Date.now())
  await run(targets, sql`CREATE TABLE IF NOT EXISTS ${name(temporary)} AS ${name(table)}`)
  try {
    await fillFrom(stores, rollup, temporary, partition)
    await replacePartition(targets, table, partition, temporary)
  } finally {
    await run(targets, sql`DROP TABLE IF EXISTS ${name(temporary)} SYNC`)
  }
}

/** Aggregates that a row changes only once, even if it is added repeatedly. */
const repeatable = /^(min|max|any|anyLast|argMin|argMax|groupBit(And|Or)|groupUniqArray(Array)?|uniq\w*)$/

async function addPartition(stores: readonly Store[], _: readonly Database[], rollup: Rollup, partition: string) {
  const { table, measures } = rollup
  const counter = measures.find(({ combine }) => !repeatable.test(combine))
  if (counter) throw new Error(`${table} has no bucket, and ${counter.combine} of ${counter.column} counts rows twice`)
  await fillFrom(stores, rollup, table, partition)
}

async function fillFrom(stores: readonly Store[], rollup: Rollup, target: string, partition: string) {
  for (const { database, months } of stores) {
    for (const group of groupMonths(months.filter((month) => month.partition === partition))) {
      await run([database], fill(rollup, target, group))
    }
  }
}

async function run(databases: readonly Database[], statement: Sql) {
  const { text, params } = render(statement)
  for (const database of databases) await database.command(text, { params, settings })
}

/**
 * Concurrent replacements of a month can leave the rows of both (24 of 300 rounds of three). ClickHouse runs only one statement per query id at a time.
 */
export async function replacePartition(
  targets: readonly Database[],
  table: string,
  partition: string,
  from: string,
): Promise<void> {
  const { text, params } = render(
    sql`ALTER TABLE ${name(table)} REPLACE PARTITION ID ${partitionId(partition)} FROM ${name(from)}`,
  )
  const queryId = `rebuild of ${table}, ${partition}`
  for (const database of targets) {
    await pRetry(() => database.command(text, { params, settings, queryId }), {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 20,
      factor: 2,
      maxTimeout: 1_000,
      shouldRetry: ({ error }) => isNamed(error, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING'),
    })
  }
}

const settings = {
  ...poolSettings(queryPools.maintenance),
  ...ddlSettings,
  // A month whose reports are gone.
  allow_replace_partition_from_empty_source: '1',
  // A table without a bucket remembers the blocks of an interrupted fill.
  insert_deduplicate: 0,
} as NonNullable<StatementOptions['settings']>

function fill(rollup: Rollup, target: string, month: MonthGroup): Sql {
  const columns = join([...rollup.keys, ...rollup.measures.map(({ column }) => column)].map(name), ', ')
  const time = rollup.source === rawTable ? rawTime : bucketTime
  const rows = sql`SELECT * FROM ${name(rollup.source)} WHERE ${inMonths(month, time)}`
  return sql`INSERT INTO ${name(target)} (${columns}) SELECT ${columns} FROM (${rollup.over(rows)})`
}

/** Unique name of a table for building one month; the hexadecimal second shows its age. */
function temporaryName(table: string, now: number): string {
  const second = Math.floor(now / 1000)
  return `${table}_rebuild_${second.toString(16).padStart(8, '0')}${randomBytes(8).toString('hex')}`
}

/** Drops temporary tables of killed rebuilds; a table under a day old can belong to a running one. */
async function dropLeftovers(database: Database, rollups: readonly Rollup[]): Promise<void> {
  for (const { table } of await database.read(listTemporaryTables)) {
    const [, rollup, second = ''] = /^(\w+)_rebuild_([0-9a-f]{8})/.exec(table) ?? []
    const age = Date.now() - Number.parseInt(second, 16) * 1000
    if (Math.abs(age) < dayMs || !rollups.some((other) => other.table === rollup)) continue
    await database.command(`DROP TABLE IF EXISTS ${render(name(table)).text} SYNC`)
  }
}

const listTemporaryTables: Query<{ table: string }> = {
  name: 'listTemporaryTables',
  statement: sql`
    SELECT name AS table
    FROM system.tables
    WHERE database = currentDatabase() AND match(name, '_rebuild_[0-9a-f]{8,24}$')`,
  row: z.object({ table: z.string() }),
}

/** ALTER TABLE has no parameter for a partition id. */
export function partitionId(partition: string): Sql {
  if (!/^\d{6}$/.test(partition)) throw new Error(`not a monthly partition: ${partition}`)
  return { strings: [`'${partition}'`], values: [] }
}
