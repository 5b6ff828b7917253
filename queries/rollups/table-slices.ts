import { at, atSecond, type Bound, join, name, type Sql, sql, uuid } from '../sql/sql.ts'
import { splitByGrain, type TimeRange } from './time-range.ts'

/** Exact covers of time windows by rollups and raw rows. */

export interface TimedTable {
  readonly table: string
  /** Milliseconds of one row's bucket; 1 for raw rows. */
  readonly grain: number
  readonly time: 'received_at' | 'bucket'
}

export interface TableSlice<Table extends TimedTable> {
  readonly table: Table
  /** `FROM table WHERE` with its tenant, time and further conditions. */
  readonly from: Sql
}

/** Exact, without overlap, none across a window's bounds. @param tables coarsest first, raw rows last. */
export function sliceTables<Table extends TimedTable>(
  tables: readonly Table[],
  tenantId: string,
  windows: readonly TimeRange[],
  conditions: (table: Table) => readonly Sql[],
): TableSlice<Table>[] {
  const grains = tables.map(({ grain }) => grain)
  const tenant = uuid(tenantId)
  const split = splitByGrain(windows, grains)
  // An expired cursor's window is empty: an aggregate still needs one table for its row.
  const all = split.length > 0 ? split : [{ grain: grains.at(-1) ?? 1, ranges: windows }]
  return all.flatMap(({ grain, ranges }) => {
    const table = tables.find((one) => one.grain === grain)
    if (!table) return []
    const where = [sql`tenant_id = ${tenant}`, ...conditions(table), inRanges(table.time, ranges)]
    return [{ table, from: sql`FROM ${name(table.table)} WHERE ${join(where, ' AND ')}` }]
  })
}

/** At least one range. */
export function inRanges(time: TimedTable['time'], ranges: readonly TimeRange[]): Sql {
  const column = name(time)
  const conditions = ranges.map(
    ({ from, to }) => sql`(${column} >= ${timeBound(time, from)} AND ${column} < ${timeBound(time, to)})`,
  )
  return sql`(${join(conditions, ' OR ')})`
}

/** Buckets begin at whole seconds. */
export function timeBound(time: TimedTable['time'], milliseconds: number): Bound {
  return (time === 'bucket' ? atSecond : at)(new Date(milliseconds))
}
