/**
 * @module Makes rollups of a few days equal to their views' SELECTs over the reports, after a power cut lost parts of
 * only some tables. Each key gets its difference; a day that a difference cannot repair is deleted first. A difference
 * read during an insert would count its reports twice, because they are stored before their rollups: the next attempt
 * corrects it.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { bucketTime, rawTime } from '../../queries/rollups/columns.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow, rowCount } from '../../queries/sql/rows.ts'
import { join, name, type Sql, sql, texts, uuid } from '../../queries/sql/sql.ts'
import { mutationSettings } from '../cluster/shared-ddl.ts'
import { combined } from './check-rollups.ts'
import {
  columnsOf,
  fromRaw,
  hasBucket,
  isSum,
  list,
  listAggregates,
  type Rollup,
  type RollupMeasure,
  rawTable,
} from './list-rollups.ts'
import { run as runOn } from './removal-tables.ts'
import { inMonths, type TenantRange } from './rollup-months.ts'

export interface Recount {
  /** Days that differed, by table, tenant and type. */
  readonly corrected: number
  /** Tables that no attempt could recount without a concurrent insert; their days can differ. */
  readonly unsettled: readonly string[]
}

/** Each attempt takes as long as the statement; between two, a collector inserts nothing for 35 times its insert. */
const [mostAttempts, pollMs] = [50, 100]

/** @param days of one month each, and of up to 100 tenants. */
export async function recountDays(
  database: Pick<Database, 'read' | 'command'>,
  days: readonly TenantRange[],
  signal?: AbortSignal,
): Promise<Recount> {
  const all = await listAggregates(database)

  async function recount(rollup: Rollup, group: TenantRange) {
    const seen = new Set<string>()
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      signal?.throwIfAborted()
      const before = await countReports(group)
      if (!(await isIdle())) {
        await sleep(pollMs, undefined, { ...(signal && { signal }) })
        continue
      }
      const differing = await database.read(listDifferingDays(rollup, all, group), { signal })
      for (const { tenant, report_type, day } of differing) seen.add(`${tenant} ${report_type} ${day}`)
      const unmendable = differing.filter(({ unmendable_rows }) => unmendable_rows > 0)
      if (unmendable.length > 0) await run(deleteDays(rollup, group, unmendable), mutationSettings)
      if (differing.length > 0) await run(insertDifference(rollup, all, group))
      // No report was stored in between, so the difference is not caused by an insert.
      if ((await countReports(group)) === before) return { corrected: seen.size, isQuiet: true }
    }
    return { corrected: seen.size, isQuiet: false }
  }

  /** A table without a bucket outlives its reports, so nothing is removed from it. */
  async function add(rollup: Rollup, group: TenantRange) {
    const columns = columnsOf(rollup)
    const raw = sql`SELECT * FROM ${name(rawTable)} WHERE ${inMonths(group, rawTime)}`
    await run(sql`INSERT INTO ${name(rollup.table)} (${columns}) SELECT ${columns} FROM (${fromRaw(rollup, all, raw)})`)
    return { corrected: 0, isQuiet: true }
  }

  const run = (statement: Sql, settings = {}) => runOn(database, statement, { settings, signal })

  const countReports = async (group: TenantRange) =>
    onlyRow(await database.read(countOf(sql`FROM ${name(rawTable)} WHERE ${inMonths(group, rawTime)}`), { signal }))
      .rows

  const isIdle = async () => onlyRow(await database.read(countInserts, { signal })).rows === 0

  let corrected = 0
  const unsettled: string[] = []
  for (const rollup of all) {
    for (const group of days) {
      const settled = hasBucket(rollup) ? await recount(rollup, group) : await add(rollup, group)
      corrected += settled.corrected
      if (!settled.isQuiet) unsettled.push(rollup.table)
    }
  }
  return { corrected, unsettled: [...new Set(unsettled)] }
}

const countRow = z.object({ rows: rowCount })

const countOf = (from: Sql): Query<z.infer<typeof countRow>> => ({
  name: 'countRows',
  statement: sql`SELECT count() AS rows ${from}`,
  row: countRow,
  pool: 'maintenance',
})

/** Any insert in the database: of reports, or of an earlier difference whose response was lost. */
const countInserts = countOf(
  sql`FROM system.processes WHERE query_kind = 'Insert' AND current_database = currentDatabase()`,
)

const dayRow = z.object({ tenant: z.string(), report_type: z.string(), day: z.string(), unmendable_rows: rowCount })
type DayRow = z.infer<typeof dayRow>

/** Both sides by key, with the difference of each measure. */
function bothSides(rollup: Rollup, rollups: readonly Rollup[], group: TenantRange): Sql {
  const { keys, measures } = rollup
  const columns = columnsOf(rollup)
  const raw = sql`SELECT * FROM ${name(rawTable)} WHERE ${inMonths(group, rawTime)}`
  const perRow = measures.flatMap((measure) => [
    sql`${combined(measure, sql`of_view`)} AS ${name(`expected_${measure.column}`)}`,
    sql`${combined(measure, sql`NOT of_view`)} AS ${name(`actual_${measure.column}`)}`,
    sql`${combined(measure, sql`true`)} AS ${name(`both_${measure.column}`)}`,
    sql`${ofView(measure)} AS ${name(`value_${measure.column}`)}`,
  ])
  return sql`
    SELECT ${list(keys)}, countIf(of_view) AS expected_rows, countIf(NOT of_view) AS actual_rows, ${join(perRow, ', ')}
    FROM (
      SELECT ${columns}, true AS of_view FROM (${fromRaw(rollup, rollups, raw)})
      UNION ALL
      SELECT ${columns}, false AS of_view FROM ${name(rollup.table)} WHERE ${inMonths(group, bucketTime)}
    )
    GROUP BY ${list(keys)}`
}

/** The view's value in the form of the rollup. */
const ofView = ({ column, combine, isState }: RollupMeasure): Sql =>
  sql`${name(isState ? `${combine}MergeStateIf` : `${combine}If`)}(${name(column)}, of_view)`

const differs = ({ measures }: Rollup): Sql =>
  join(
    measures.map(({ column }) => sql`NOT (${name(`expected_${column}`)} <=> ${name(`actual_${column}`)})`),
    ' OR ',
  )

/** Aggregates that become the view's value if missing rows are added. */
const growing = /^(min|max|groupUniqArray(Array)?|uniq\w*)$/

/** True for a key without reports, or a value that more rows cannot correct, such as a later last time. */
function isUnmendable({ measures }: Rollup): Sql {
  const perMeasure = measures
    .filter((measure) => !isSum(measure))
    .map((measure) => {
      const reached = name(`${growing.test(measure.combine) ? 'both' : 'actual'}_${measure.column}`)
      return sql`NOT (${reached} <=> ${name(`expected_${measure.column}`)})`
    })
  return sql`actual_rows > 0 AND (${join([sql`expected_rows = 0`, ...perMeasure], ' OR ')})`
}

function listDifferingDays(rollup: Rollup, rollups: readonly Rollup[], group: TenantRange): Query<DayRow> {
  return {
    name: 'listDifferingDays',
    statement: sql`
      SELECT toString(tenant_id) AS tenant, report_type, toString(toDate(bucket)) AS day,
        countIf(${isUnmendable(rollup)}) AS unmendable_rows
      FROM (${bothSides(rollup, rollups, group)})
      WHERE ${differs(rollup)}
      GROUP BY tenant_id, report_type, day`,
    row: dayRow,
    pool: 'maintenance',
  }
}

/** Reports of a part are stored before its rollups, so deleted rollups are counted again from existing reports. */
function deleteDays({ table }: Rollup, group: TenantRange, days: readonly DayRow[]): Sql {
  const tenants = [...new Set(days.map(({ tenant }) => tenant))]
  const conditions = tenants.map((tenant) => {
    const pairs = days.filter((day) => day.tenant === tenant).map(({ report_type, day }) => `${report_type} ${day}`)
    const pair = sql`concat(report_type, ' ', toString(toDate(bucket)))`
    return sql`(tenant_id = ${uuid(tenant)} AND ${pair} IN ${texts(pairs)})`
  })
  return sql`
    ALTER TABLE ${name(table)}
    DELETE WHERE ${inMonths(group, bucketTime)} AND (${join(conditions, ' OR ')})`
}

/** Sums are modulo 2^64; other values are stored once more, which does not change equal ones. */
function insertDifference(rollup: Rollup, rollups: readonly Rollup[], group: TenantRange): Sql {
  const { table, keys, measures } = rollup
  const values = measures.map((measure) => {
    const of = (side: string) => name(`${side}_${measure.column}`)
    if (isSum(measure)) return sql`toUInt64(ifNull(${of('expected')}, 0) - ifNull(${of('actual')}, 0))`
    const value = of('value')
    if (measure.combine !== 'sumMap') return value
    return sql`if(actual_rows > 0, mapFromArrays(emptyArrayString(), emptyArrayUInt64()), ${value})`
  })
  return sql`
    INSERT INTO ${name(table)} (${columnsOf(rollup)})
    SELECT ${list(keys)}, ${join(values, ', ')}
    FROM (${bothSides(rollup, rollups, group)})
    WHERE ${differs(rollup)}`
}
