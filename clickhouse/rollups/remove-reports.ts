/**
 * @module Removes reports, and makes every rollup what it would be without them: the keys of removed reports are
 * deleted and counted again from the other reports. No report of these keys may be stored at the same time: hold the
 * collectors and the tenant's lease. Every step can be repeated, so an interrupted removal continues.
 */

import type { Database } from '../../queries/clickhouse/database.ts'
import { bucketTime, rawTime, type TimeColumn } from '../../queries/rollups/columns.ts'
import { inRanges } from '../../queries/rollups/table-slices.ts'
import { join, name, type Sql, sql, texts, uint, uuid } from '../../queries/sql/sql.ts'
import { countReportsWhere, sumByType } from '../../queries/tenants/deletions.ts'
import { ddlTargets, mutationSettings } from '../cluster/shared-ddl.ts'
import { fromRaw, hasBucket, listAggregates, type Rollup, type RollupMeasure, rawTable } from './list-rollups.ts'
import { partitionId } from './rebuild-rollups.ts'
import { columnsOf, columnsOfReports, exists, list, listSpans, run, type Span } from './removal-tables.ts'
import { sightingsWithout } from './sightings-without.ts'

export interface Removal {
  readonly tenantId: string
  /** UUID of the removal, for the names of its tables. */
  readonly id: string
  /** True of the reports to remove; not read when an interrupted removal continues. */
  readonly where: Sql
  /** The rows leave the disk before this returns, instead of with the next merge of their parts. */
  readonly purges: boolean
  /** Called before each table. */
  readonly onStep: () => Promise<void>
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

/** Rows of `touched` must not expire before they are read. */
const touchedRetentionDays = 3_650

async function removeInGroup({ ddl, databases }: Group, removal: Removal) {
  const { tenantId, id, where, purges, onStep } = removal
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

  async function deleteRows(database: Database, table: string, condition: Sql): Promise<void> {
    const statement = purges ? sql`ALTER TABLE ${name(table)} DELETE` : sql`DELETE FROM ${name(table)}`
    await run(database, sql`${statement} WHERE ${condition}`, { ...mutationSettings, lightweight_deletes_sync: '2' })
  }

  const within = ({ from, to, types }: Span, time: TimeColumn) =>
    sql`tenant_id = ${uuid(tenantId)} AND report_type IN ${texts(types)} AND ${inRanges(time, [{ from, to }])}`

  async function mend(rollup: Rollup, spans: ReadonlyMap<Database, readonly Span[]>): Promise<void> {
    const { table, source } = rollup
    const [fresh, touched] = [workTable(table), workTable(table, '_keys')]
    const columns = columnsOf(rollup)
    const identity = join(
      rollup.keys.map((key) => notNull(rollup, key)),
      ', ',
    )
    for (const work of [fresh, touched]) {
      await drop(work)
      await run(ddl, sql`CREATE TABLE ${name(work)} AS ${name(table)}`)
    }
    const isTouched = (span: Span) => sql`
      (${identity}) IN (SELECT ${identity} FROM ${name(touched)} WHERE ${within(span, bucketTime)})`
    const partitions = new Set<string>()
    for (const [database, ofDatabase] of spans) {
      for (const span of ofDatabase) {
        partitions.add(span.partition)
        const removed = fromRaw(rollup, all, sql`SELECT * FROM ${name(copy)} WHERE ${within(span, rawTime)}`)
        await run(database, sql`INSERT INTO ${name(touched)} (${columns}) SELECT ${lasting(rollup)} FROM (${removed})`)
        const time = source === rawTable ? rawTime : bucketTime
        const others =
          !isResumed && span.hasOneRetention && rollup.measures.every(isCount)
            ? subtracted(rollup, touched, sql`${within(span, bucketTime)} AND ${isTouched(span)}`)
            : sql`
            SELECT ${columns} FROM (${rollup.over(sql`SELECT * FROM ${name(source)} WHERE ${within(span, time)}`)})
            WHERE ${isTouched(span)}`
        await run(database, sql`INSERT INTO ${name(fresh)} (${columns}) ${others}`)
      }
    }
    for (const partition of partitions) {
      for (const [database, ofDatabase] of spans) {
        for (const span of ofDatabase.filter((one) => one.partition === partition)) {
          await deleteRows(database, table, sql`${within(span, bucketTime)} AND ${isTouched(span)}`)
        }
      }
      // Moved and not inserted, so that no view counts the rows in another rollup.
      const id = partitionId(partition)
      await run(ddl, sql`ALTER TABLE ${name(fresh)} MOVE PARTITION ID ${id} TO TABLE ${name(table)}`)
    }
  }

  /** A table without a bucket outlives the reports. */
  async function mendSightings(rollup: Rollup): Promise<void> {
    const { table } = rollup
    const fresh = workTable(table)
    const columns = columnsOf(rollup)
    const { isTouched, others, rows } = sightingsWithout(rollup, all, { tenantId, copy })
    await create(fresh, table, columns, rows)
    for (const database of databases) {
      await deleteRows(database, table, isTouched)
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
      const isRemoved = sql`id IN (SELECT id FROM ${name(copy)} WHERE ${within(span, rawTime)})`
      await deleteRows(database, rawTable, sql`${within(span, rawTime)} AND ${isRemoved}`)
    }
  }
  for (const rollup of counts.flat().length === 0 ? [] : all) {
    await onStep()
    await (hasBucket(rollup) ? mend(rollup, spans) : mendSightings(rollup))
  }
  for (const { table } of all) for (const ending of endings) await drop(workTable(table, ending))
  // The last, because a removal continues while it exists.
  await drop(copy)
  return counts.flat()
}

const notNull = ({ nullableKeys }: Rollup, key: string): Sql =>
  nullableKeys.includes(key) ? sql`ifNull(toString(${name(key)}), '')` : name(key)

/** A count or a weight, or the retention, which stays if all reports have the same. */
const isCount = ({ column, combine, type }: RollupMeasure) =>
  (combine === 'sum' && type === 'UInt64') || column === 'retention_days'

const lasting = ({ keys, measures }: Rollup): Sql => {
  const days = sql`toUInt16(${uint(touchedRetentionDays)}) AS retention_days`
  const values = measures.map(({ column }) => (column === 'retention_days' ? days : name(column)))
  return join([...keys.map(name), ...values], ', ')
}

/** Rows of a rollup less those of removed reports. */
function subtracted({ table, keys, measures }: Rollup, removed: string, where: Sql): Sql {
  const columns = list([...keys, ...measures.map(({ column }) => column)])
  const values = measures.map(({ column, combine }) => {
    const of = (side: Sql) => sql`${name(`${combine}If`)}(merged.${name(column)}, ${side})`
    const isKept = combine !== 'sum'
    return sql`${isKept ? of(sql`stored`) : sql`toUInt64(${of(sql`stored`)} - ${of(sql`NOT stored`)})`} AS ${name(column)}`
  })
  return sql`
    SELECT ${list(keys)}, ${join(values, ', ')}
    FROM (
      SELECT ${columns}, true AS stored FROM ${name(table)} WHERE ${where}
      UNION ALL
      SELECT ${columns}, false AS stored FROM ${name(removed)} WHERE ${where}
    ) AS merged
    GROUP BY ${list(keys)}
    HAVING report_count > 0`
}
