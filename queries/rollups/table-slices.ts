/** @module Exact covers of time windows by rollups and raw rows. */

import { splitByGrain, type TimeRange } from '../../schema/rules/time/time-range.ts'
import { anyOf, where } from '../sql/matches.ts'
import { atSecond, name, type Sql, sql, uuid } from '../sql/sql.ts'
import type { TimeColumn } from './columns.ts'

export interface TimedTable {
  readonly table: string
  /** Milliseconds of its rows' buckets, coarsest first; 1 for raw rows. */
  readonly grains: readonly number[]
  /** Condition on the rows of each grain, for a table with several. */
  readonly ofGrain?: Readonly<Record<number, Sql>>
  readonly time: TimeColumn
}

export interface TableSlice<Table extends TimedTable> {
  readonly table: Table
  /** `FROM table WHERE` with its tenant, time and further conditions. */
  readonly from: Sql
}

/**
 * Splits exactly, without overlap; no slice crosses a window's bounds. Raw rows alone serve times with expired rows.
 * @param tables coarsest first, raw rows last.
 * @param filters conditions whose columns are read first.
 */
export function sliceTables<Table extends TimedTable>(
  tables: readonly Table[],
  tenantId: string,
  windows: readonly TimeRange[],
  conditions: (table: Table) => readonly Sql[],
  filters: (table: Table) => readonly Sql[] = () => [],
): TableSlice<Table>[] {
  const grains = tables.flatMap((table) => table.grains)
  const tenant = uuid(tenantId)
  const [mixed, unmixed] = splitByExpiry(windows)
  const split = splitByGrain(unmixed, grains)
  // An expired cursor's window is empty: an aggregate still needs one table for its row.
  const all = split.length + mixed.length > 0 ? split : [{ grain: grains.at(-1) ?? 1, ranges: windows }]
  return tables.flatMap((table) => {
    const { time, ofGrain } = table
    const covered = all.filter(({ grain }) => tables.find((one) => one.grains.includes(grain)) === table)
    const raw = table === tables.at(-1) ? mixed : []
    if (covered.length + raw.length === 0) return []
    const times = covered.map(({ grain, ranges }) => {
      const rows = ofGrain?.[grain]
      return rows ? sql`(${rows} AND ${inRanges(time, ranges)})` : inRanges(time, ranges)
    })
    if (raw.length > 0) times.push(inRanges(time, raw))
    const areLive = raw.slice(0, 1).flatMap(unexpired)
    const ofSlice = [sql`tenant_id = ${tenant}`, ...conditions(table), ...areLive, anyOf(times)]
    return [{ table, from: sql`FROM ${name(table.table)} ${where(ofSlice, filters(table))}` }]
  })
}

/** Times with expired rows, and the others. */
function splitByExpiry(windows: readonly TimeRange[]): readonly [TimeRange[], TimeRange[]] {
  const upTo = ({ from, to, expired }: TimeRange) => Math.max(from, Math.min(to, expired?.before ?? from))
  const mixed = windows.map((window) => ({ ...window, to: upTo(window) })).filter(({ from, to }) => from < to)
  return [mixed, windows.map((window) => ({ ...window, from: upTo(window) }))]
}

/** Condition on raw rows that have not expired; none if no row can have expired. */
export const unexpired = ({ expired }: TimeRange): Sql[] =>
  expired
    ? [sql`toStartOfDay(received_at) + toIntervalDay(retention_days) >= ${atSecond(new Date(expired.today))}`]
    : []

/** At least one range. */
export const inRanges = ({ column, bound }: TimeColumn, ranges: readonly TimeRange[]): Sql =>
  anyOf(ranges.map(({ from, to }) => sql`(${column} >= ${bound(from)} AND ${column} < ${bound(to)})`))
