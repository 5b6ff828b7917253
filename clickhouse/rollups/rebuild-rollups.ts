import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/client.ts'
import { poolSettings } from '../../queries/clickhouse/query-pools.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { join, name, render, type Sql, sql } from '../../queries/sql/sql.ts'
import { dayMs } from '../../schema/durations.ts'
import { listRollups, type Rollup, rawTable } from './list-rollups.ts'
import { inMonth, listRollupMonths, type RollupMonth } from './rollup-months.ts'
import { untilSeen } from './until-seen.ts'

/** What a rebuild did. */
export interface RollupRebuild {
  /** Monthly partitions refilled, one for each table and month. */
  readonly rebuilt: number
}

/** What to rebuild, and who hears how far it is. */
export interface RebuildOptions {
  /** Every rollup by default. One that is made from another is refilled from that one as it stands. */
  readonly tables?: readonly string[] | undefined
  readonly onProgress?: (done: number, total: number, what: string) => void
}

/**
 * Refills rollups from the raw rows, month by month and finer tables first. A month is built aside and then takes
 * the place of the old one in one step, so that readers see the one or the other. Reports that are stored meanwhile
 * can be missing from a rollup or be counted twice: check afterwards. Throws an Error of one line for a table that is not
 * a rollup.
 */
export async function rebuildRollups(database: Database, options: RebuildOptions = {}): Promise<RollupRebuild> {
  const { tables, onProgress } = options
  const all = await listRollups(database)
  await dropLeftovers(database, all)
  const unknown = tables?.find((table) => !all.some((rollup) => rollup.table === table))
  if (unknown !== undefined) {
    throw new Error(`${unknown} is not a rollup; there are ${all.map(({ table }) => table).join(', ')}`)
  }
  const rollups = tables ? all.filter(({ table }) => tables.includes(table)) : all
  const months = await listRollupMonths(database, [rawTable, ...rollups.map(({ table }) => table)])
  const partitions = [...new Set(months.map(({ partition }) => partition))].sort()
  const total = partitions.length * rollups.length
  let rebuilt = 0
  await noteStep(database, 'started')
  try {
    for (const rollup of rollups) {
      for (const partition of partitions) {
        onProgress?.(rebuilt, total, `${rollup.table} ${partition}`)
        const own = months.filter((month) => month.partition === partition)
        await rebuildPartition(database, rollup, partition, own)
        rebuilt++
      }
    }
  } finally {
    await noteStep(database, 'done')
    await untilSeen()
  }
  onProgress?.(total, total, 'done')
  return { rebuilt }
}

async function rebuildPartition(database: Database, rollup: Rollup, partition: string, months: readonly RollupMonth[]) {
  const { table } = rollup
  const aside = asideOf(table, Date.now())
  const run = (statement: Sql) => {
    const { text, params } = render(statement)
    return database.command(text, { params, settings: poolSettings('maintenance') })
  }
  await run(sql`CREATE TABLE ${name(aside)} AS ${name(table)}`)
  try {
    for (const month of months) await run(fill(rollup, aside, month))
    const [filled] = await database.read(countRows(aside))
    await run(
      filled?.rows
        ? sql`ALTER TABLE ${name(table)} REPLACE PARTITION ID ${partitionId(partition)} FROM ${name(aside)}`
        : sql`ALTER TABLE ${name(table)} DROP PARTITION ID ${partitionId(partition)}`,
    )
  } finally {
    await run(sql`DROP TABLE IF EXISTS ${name(aside)} SYNC`)
  }
}

function fill(rollup: Rollup, target: string, month: RollupMonth): Sql {
  const columns = join([...rollup.keys, ...rollup.measures.map(({ column }) => column)].map(name), ', ')
  const time = rollup.source === rawTable ? 'received_at' : 'bucket'
  const rows = sql`SELECT * FROM ${name(rollup.source)} WHERE ${inMonth(month, time)}`
  return sql`INSERT INTO ${name(target)} (${columns}) SELECT ${columns} FROM (${rollup.over(rows)})`
}

/**
 * Notes a step for every tenant, as an import does, so that no answer from before is given again. Always of one token, so
 * that what a rebuild that was killed began is ended by the next.
 */
async function noteStep(database: Database, state: 'started' | 'done'): Promise<void> {
  await database.command(
    "INSERT INTO import_log_by_time (tenant_id, recorded_at, token, state) SELECT DISTINCT id, now64(3), 'rebuild', {state:String} FROM tenants",
    { params: { state } },
  )
}

/** The table beside a rollup that one month is built in: its name tells the second it was made, so that its age is known. */
function asideOf(table: string, now: number): string {
  const second = Math.floor(now / 1000)
  return `${table}_rebuild_${second.toString(16).padStart(8, '0')}${randomBytes(2).toString('hex')}`
}

/**
 * A rebuild that was cut off left the table it was filling. One less than a day old can be another's that is under way.
 */
async function dropLeftovers(database: Database, rollups: readonly Rollup[]): Promise<void> {
  for (const { table } of await database.read(listTablesAside)) {
    const [, rollup, second = ''] = /^(\w+)_rebuild_([0-9a-f]{8})/.exec(table) ?? []
    const age = Date.now() - Number.parseInt(second, 16) * 1000
    if (Math.abs(age) < dayMs || !rollups.some((one) => one.table === rollup)) continue
    await database.command(`DROP TABLE IF EXISTS ${render(name(table)).text} SYNC`)
  }
}

const listTablesAside: Query<{ table: string }> = {
  name: 'listTablesAside',
  statement: sql`SELECT name AS table FROM system.tables
    WHERE database = currentDatabase() AND match(name, '_rebuild_([0-9a-f]{4}){2,3}$')`,
  row: z.object({ table: z.string() }),
}

const countRows = (table: string): Query<{ rows: number }> => ({
  name: 'countRows',
  statement: sql`SELECT count() AS rows FROM ${name(table)}`,
  row: z.object({ rows: rowCount }),
})

/** A partition's name is part of the statement: it takes no parameter. */
function partitionId(partition: string): Sql {
  if (!/^\d{6}$/.test(partition)) throw new Error(`not a monthly partition: ${partition}`)
  return { strings: [`'${partition}'`], values: [] }
}
