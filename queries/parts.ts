import { type Coverage, coverAll, type Span } from './rules/coverage.ts'
import { at, join, name, type Sql, sql, uuid } from './sql.ts'

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
  return coverAll(windows, grains).flatMap((coverage) => {
    const table = tables.find(({ grain }) => grain === coverage.grain)
    if (!table) return []
    const all = [sql`tenant_id = ${uuid(tenantId)}`, ...conditions(table), within(name(table.time), coverage)]
    return [{ table, from: sql`FROM ${name(table.table)} WHERE ${join(all, ' AND ')}` }]
  })
}

function within(time: Sql, { spans }: Coverage): Sql {
  const ranges = spans.map(
    (span) => sql`(${time} >= ${at(new Date(span.from))} AND ${time} < ${at(new Date(span.to))})`,
  )
  return sql`(${join(ranges, ' OR ')})`
}
