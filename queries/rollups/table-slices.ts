import { at, atSecond, type Bound, join, name, type Sql, sql, uuid } from '../sql/sql.ts'
import { coverAll, type Span } from './time-range.ts'

/** A table of reports, or a rollup of them by time. */
export interface TimedTable {
  readonly table: string
  /** Milliseconds of time one row stands for; 1 for raw rows. */
  readonly grain: number
  readonly time: 'received_at' | 'bucket'
}

/** One table's share of a question: `FROM table WHERE` its tenant, its time and what else must hold. */
export interface TimedPart<Table extends TimedTable> {
  readonly table: Table
  readonly from: Sql
}

/**
 * The parts that together cover the windows, exactly and without overlap, and no part across a window's bounds. Every
 * part carries the tenant.
 * @param tables coarsest first, raw rows last.
 * @param conditions what must hold of a table's rows beside tenant and time.
 */
export function partsOver<Table extends TimedTable>(
  tables: readonly Table[],
  tenantId: string,
  windows: readonly Span[],
  conditions: (table: Table) => readonly Sql[],
): TimedPart<Table>[] {
  const grains = tables.map(({ grain }) => grain)
  const tenant = uuid(tenantId)
  const coverages = coverAll(windows, grains)
  // Retention can leave a cursor's whole window behind: some table must still answer that nothing is there.
  const all = coverages.length > 0 ? coverages : [{ grain: grains.at(-1) ?? 1, spans: windows }]
  return all.flatMap((coverage) => {
    const table = tables.find(({ grain }) => grain === coverage.grain)
    if (!table) return []
    const meets = [sql`tenant_id = ${tenant}`, ...conditions(table), within(table.time, coverage.spans)]
    return [{ table, from: sql`FROM ${name(table.table)} WHERE ${join(meets, ' AND ')}` }]
  })
}

/** Whether a table's time lies in one of some spans, of which there must be one. */
export function within(time: TimedTable['time'], spans: readonly Span[]): Sql {
  const column = name(time)
  const ranges = spans.map(
    ({ from, to }) => sql`(${column} >= ${moment(time, from)} AND ${column} < ${moment(time, to)})`,
  )
  return sql`(${join(ranges, ' OR ')})`
}

/** A moment to compare a table's time with, in milliseconds since the Unix epoch: buckets begin at whole seconds. */
export function moment(time: TimedTable['time'], milliseconds: number): Bound {
  return (time === 'bucket' ? atSecond : at)(new Date(milliseconds))
}
