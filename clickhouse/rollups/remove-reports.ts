/**
 * @module Removes reports, and makes every rollup what it would be without them: the keys of removed reports are
 * deleted and counted again from the other reports. No report of these keys may be stored at the same time: hold the
 * collectors and the tenant's lease. Every step can be repeated, so an interrupted removal continues.
 */

import type { Database } from '../../queries/clickhouse/database.ts'
import { rawTime } from '../../queries/rollups/columns.ts'
import { name, type Sql, sql } from '../../queries/sql/sql.ts'
import { countReportsWhere, sumByType } from '../../queries/tenants/deletions.ts'
import { ddlTargets } from '../cluster/shared-ddl.ts'
import { columnsOf, hasBucket, list, listAggregates, type Rollup, rawTable } from './list-rollups.ts'
import { mendRollup, within } from './mend-rollup.ts'
import { columnsOfReports, exists, hideRows, listSpans, run, type Span } from './removal-tables.ts'
import { sightingsWithout } from './sightings-without.ts'

export interface Removal {
  readonly tenantId: string
  /** UUID of the removal, for the names of its tables. */
  readonly id: string
  /** True of the reports to remove; not read when an interrupted removal continues. */
  readonly where: Sql
  /** Called before each table; `total` counts them. */
  readonly onStep: (done: number, total: number, table: string) => Promise<void>
}

const withoutDashes = (id: string) => id.replaceAll('-', '')

/** Copies of the removed reports, which identify them. */
const copyName = (id: string) => `reports_retracted_${withoutDashes(id)}`

/** True for a copy of removed reports. */
export const isCopy = (table: string) => /^reports_retracted_[0-9a-f]{32}$/.test(table)

/**
 * True for a table of a running or interrupted removal or rebuild (`rebuild-rollups.ts`), which drops it at its end.
 */
export const isWorkTable = (table: string) => /_(retracted|retract|rebuild)_[0-9a-f]{8,32}(_\w+)?$/.test(table)

/** Databases that a DDL statement reaches at once. */
interface Group {
  readonly ddl: Database
  readonly databases: readonly Database[]
}

/** Returns the number of removed reports by type. */
export async function removeReports(
  shards: readonly Database[],
  removal: Removal,
): Promise<Readonly<Record<string, number>>> {
  const targets = await ddlTargets(shards)
  const groups: Group[] =
    targets.length === shards.length
      ? shards.map((ddl) => ({ ddl, databases: [ddl] }))
      : targets.map((ddl) => ({ ddl, databases: shards }))
  const counts = []
  for (const group of groups) counts.push(...(await removeInGroup(group, removal)))
  return sumByType(counts)
}

async function removeInGroup({ ddl, databases }: Group, removal: Removal) {
  const { tenantId, id, where, onStep } = removal
  const copy = copyName(id)
  const all = await listAggregates(ddl)
  const drop = (table: string) => run(ddl, sql`DROP TABLE IF EXISTS ${name(table)} SYNC`)
  const endings = ['', '_keys', '_unfinished'] as const
  const workTable = (table: string, ending: (typeof endings)[number] = '') =>
    `${table}_retract_${withoutDashes(id)}${ending}`

  /** The table appears with all its rows, and is not changed if it exists. */
  async function create(table: string, like: string, columns: Sql, rows: Sql): Promise<void> {
    if (await exists(ddl, table)) return
    const unfinished = `${table}_unfinished`
    await drop(unfinished)
    await run(ddl, sql`CREATE TABLE ${name(unfinished)} AS ${name(like)}`)
    for (const database of databases) {
      await run(database, sql`INSERT INTO ${name(unfinished)} (${columns}) SELECT ${columns} FROM (${rows})`)
    }
    await run(ddl, sql`RENAME TABLE ${name(unfinished)} TO ${name(table)}`)
  }

  /** A table without a bucket outlives the reports. */
  async function mendSightings(rollup: Rollup): Promise<void> {
    const { table } = rollup
    const fresh = workTable(table)
    const columns = columnsOf(rollup)
    const { isTouched, others, rows } = sightingsWithout(rollup, all, { tenantId, copy })
    await create(fresh, table, columns, rows)
    for (const database of databases) {
      await hideRows(database, table, isTouched)
      // The second insert has what was stored since an interrupted run.
      for (const from of [name(fresh), sql`(${others})`]) {
        await run(database, sql`INSERT INTO ${name(table)} (${columns}) SELECT ${columns} FROM ${from}`)
      }
    }
  }

  // Counts that an interrupted removal has corrected must not be corrected twice.
  const isResumed = await exists(ddl, copy)
  await create(copy, rawTable, list(await columnsOfReports(ddl)), sql`SELECT * FROM ${name(rawTable)} WHERE ${where}`)
  const counts = await Promise.all(databases.map((database) => database.read(countReportsWhere(sql`true`, copy))))
  const spans = new Map<Database, readonly Span[]>()
  for (const database of databases) {
    const ofDatabase = await listSpans(database, tenantId, copy)
    spans.set(database, ofDatabase)
    for (const span of ofDatabase) {
      const isRemoved = sql`id IN (SELECT id FROM ${name(copy)} WHERE ${within(tenantId, span, rawTime)})`
      await hideRows(database, rawTable, sql`${within(tenantId, span, rawTime)} AND ${isRemoved}`)
    }
  }
  const removed = { tenantId, ddl, spans, copy, rollups: all, canSubtract: !isResumed }
  for (const [done, rollup] of counts.flat().length === 0 ? [] : all.entries()) {
    const { table } = rollup
    await onStep(done, all.length, table)
    const work = { fresh: workTable(table), touched: workTable(table, '_keys') }
    await (hasBucket(rollup) ? mendRollup(rollup, removed, work) : mendSightings(rollup))
  }
  for (const { table } of all) for (const ending of endings) await drop(workTable(table, ending))
  // The last, because a removal continues while it exists.
  await drop(copy)
  return counts.flat()
}
