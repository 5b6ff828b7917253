import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { bucketTime, rawTime, type TimeColumn } from '../../queries/rollups/columns.ts'
import { anyOf } from '../../queries/sql/matches.ts'
import type { Query } from '../../queries/sql/query.ts'
import { rowCount } from '../../queries/sql/rows.ts'
import { join, name, type Sql, sql } from '../../queries/sql/sql.ts'
import { columnsOf, fromRaw, list, listRollups, type Rollup, type RollupMeasure, rawTable } from './list-rollups.ts'
import {
  fewRowsEach,
  groupMonths,
  inMonths,
  listRollupMonths,
  type MonthGroup,
  since,
  withinRetention,
} from './rollup-months.ts'

/** A measure's value: a count or weight (text beyond 2^53), a time, or null if there is none. */
type Measured = number | string | null

/** A tenant's day of one type on which a rollup differs from its view's SELECT over the reports. */
export interface RollupDifference {
  readonly table: string
  readonly tenantId: string
  readonly reportType: string
  /** UTC, `2026-01-31`. */
  readonly day: string
  /** Missing, extra and different rows, at the rollup's own grain. */
  readonly differingRows: number
  /** Totals of the day by measure; rows can differ even if totals do not. */
  readonly expected: Readonly<Record<string, Measured>>
  readonly actual: Readonly<Record<string, Measured>>
}

export interface RollupCheck {
  /** Days compared, by table, tenant and type. */
  readonly checked: number
  readonly different: number
  /** The first 100. */
  readonly differences: readonly RollupDifference[]
}

export interface CheckOptions {
  readonly tenantId?: string
  /** Start of a UTC day; earlier days are skipped. */
  readonly from?: Date
  readonly onProgress?: (done: number, total: number, step: string) => void
}

export const differencesListed = 100

/** Compares every rollup with its view's SELECT over the reports, for days without expired rows. */
export async function checkRollups(database: Database, options: CheckOptions = {}): Promise<RollupCheck> {
  const rollups = await listRollups(database)
  const tables = [rawTable, ...rollups.map(({ table }) => table)]
  const stored = withinRetention(await listRollupMonths(database, tables, options.tenantId), new Date())
  const batches = fewRowsEach(groupMonths(options.from ? since(options.from, stored) : stored))
  const total = batches.length * rollups.length
  let [done, checked] = [0, 0]
  let suspects: Suspect[] = []
  for (const groups of batches) {
    const months = [...new Set(groups.map(({ partition }) => partition))].join(', ')
    for (const rollup of rollups) {
      options.onProgress?.(done++, total, `${rollup.table} ${months}`)
      const query = compareRollup(rollup, rollups, groups)
      const days = await database.read(query)
      checked += days.length
      const differing = days.filter(isDifferent)
      if (differing.length > 0) suspects.push({ rollup, query, days: differing })
    }
  }
  for (let reads = 1; reads < mostReads && suspects.length > 0; reads++) {
    options.onProgress?.(total, total, 'differences again')
    await sleep(pauseMs)
    suspects = await stillDifferent(database, suspects)
  }
  options.onProgress?.(total, total, 'done')
  const found = suspects.flatMap(({ rollup, days }) => days.map((day) => ({ rollup, day })))
  const differences = found.slice(0, differencesListed).map(({ rollup, day }) => toDifference(rollup, day))
  return { checked, different: found.length, differences }
}

/**
 * Days differ only if every read finds a difference. A read during an insert can see a block's reports without its
 * rollups, and a replica fetches the parts of each table separately.
 */
const [mostReads, pauseMs] = [3, 1_000]

interface Suspect {
  readonly rollup: Rollup
  readonly query: Query<DayRow>
  readonly days: readonly DayRow[]
}

const isDifferent = ({ differing_rows }: DayRow) => differing_rows > 0

async function stillDifferent(database: Database, suspects: readonly Suspect[]): Promise<Suspect[]> {
  const keyOf = ({ tenant, report_type, day }: DayRow) => `${tenant} ${report_type} ${day}`
  const still: Suspect[] = []
  for (const { days: before, ...suspect } of suspects) {
    const keys = new Set(before.map(keyOf))
    const days = (await database.read(suspect.query)).filter((day) => isDifferent(day) && keys.has(keyOf(day)))
    if (days.length > 0) still.push({ ...suspect, days })
  }
  return still
}

const dayRow = z.looseObject({ tenant: z.string(), report_type: z.string(), day: z.string(), differing_rows: rowCount })
type DayRow = z.infer<typeof dayRow>

function compareRollup(rollup: Rollup, rollups: readonly Rollup[], groups: readonly MonthGroup[]): Query<DayRow> {
  const { keys, measures } = rollup
  const where = (time: TimeColumn) => anyOf(groups.map((group) => inMonths(group, time)))
  const columns = columnsOf(rollup)
  const raw = sql`SELECT * FROM ${name(rawTable)} WHERE ${where(rawTime)}`
  const pairs = measures.map((measure) => ({
    measure,
    expected: name(`expected_${measure.column}`),
    actual: name(`actual_${measure.column}`),
  }))
  const perRow = pairs.flatMap(({ measure, expected, actual }) => [
    sql`${combined(measure, sql`of_view`)} AS ${expected}`,
    sql`${combined(measure, sql`NOT of_view`)} AS ${actual}`,
  ])
  const perDay = pairs.flatMap(({ measure, expected, actual }) => {
    const total = name(measure.isState ? 'sum' : `${measure.combine}OrNull`)
    const ofDay = (side: Sql) => sql`${exactInJson(measure, sql`${total}(${side})`)} AS day_${side}`
    return addsUp(measure) ? [ofDay(expected), ofDay(actual)] : []
  })
  const differs = pairs.map(({ expected, actual }) => sql`NOT (${expected} <=> ${actual})`)
  return {
    name: 'compareRollup',
    statement: sql`
      SELECT
        toString(tenant_id) AS tenant,
        report_type,
        toString(toDate(bucket)) AS day,
        countIf(${join(differs, ' OR ')}) AS differing_rows,
        ${join(perDay, ', ')}
      FROM (
        SELECT ${list(keys)}, ${join(perRow, ', ')}
        FROM (
          SELECT ${columns}, true AS of_view FROM (${fromRaw(rollup, rollups, raw)})
          UNION ALL
          SELECT ${columns}, false AS of_view FROM ${name(rollup.table)} WHERE ${where(bucketTime)}
        )
        GROUP BY ${list(keys)}
      )
      GROUP BY tenant_id, report_type, day
      ORDER BY tenant_id, day, report_type`,
    row: dayRow,
    pool: 'maintenance',
  }
}

/** Measures with one readable total per day. */
const addsUp = ({ isState, type }: RollupMeasure) => isState || !/^(Array|Map|Tuple)\(/.test(type)

/** JavaScript's numbers are exact up to 2^53. */
const exactInJson = ({ type }: RollupMeasure, value: Sql) => (type === 'UInt64' ? sql`toString(${value})` : value)

/** One side's value in a comparable form; null or empty if that side lacks the row. */
export function combined(measure: RollupMeasure, side: Sql): Sql {
  const column = name(measure.column)
  if (measure.isState) return sql`${name(`${measure.combine}MergeIf`)}(${column}, ${side})`
  if (addsUp(measure)) return sql`${name(`${measure.combine}OrNullIf`)}(${column}, ${side})`
  const value = sql`${name(`${measure.combine}If`)}(${column}, ${side})`
  if (measure.type.startsWith('Array(')) return sql`toString(arraySort(${value}))`
  return measure.type.startsWith('Map(') ? sql`toString(mapSort(${value}))` : sql`toString(${value})`
}

function toDifference(rollup: Rollup, day: DayRow): RollupDifference {
  const side = (prefix: string) =>
    Object.fromEntries(
      rollup.measures.filter(addsUp).map(({ column }) => [camelCase(column), measured(day[`day_${prefix}_${column}`])]),
    )
  return {
    table: rollup.table,
    tenantId: day.tenant,
    reportType: day.report_type,
    day: day.day,
    differingRows: day.differing_rows,
    expected: side('expected'),
    actual: side('actual'),
  }
}

function measured(value: unknown): Measured {
  if (typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

const camelCase = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
