import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { Query } from '../../queries/sql/query.ts'
import { name, type Sql, sql } from '../../queries/sql/sql.ts'

/** A table that a materialized view keeps, as the store itself describes both. */
export interface Rollup {
  readonly table: string
  /** The table its view reads: `reports`, or a finer rollup. */
  readonly source: string
  /** The columns that tell its rows apart; tenant_id, report_type and bucket are among them. */
  readonly keys: readonly string[]
  readonly measures: readonly RollupMeasure[]
  /** The view's own SELECT over other rows of its source. */
  over(source: Sql): Sql
}

/** A column of a rollup that is not part of its key. */
export interface RollupMeasure {
  readonly column: string
  /** The aggregate function that makes one value of two rows'. */
  readonly combine: string
  /** The column holds states of that function instead of values. */
  readonly isState: boolean
  /** The type of a value, as the store writes it. */
  readonly type: string
}

const measureType = /^(Simple)?AggregateFunction\((\w+), (.+)\)$/

const viewRow = z.object({ view: z.string(), definition: z.string(), statement: z.string() })
const columnRow = z.object({ table: z.string(), column: z.string(), type: z.string(), key: z.coerce.boolean() })

const listViews: Query<z.infer<typeof viewRow>> = {
  name: 'listViews',
  statement: sql`SELECT name AS view, as_select AS definition, create_table_query AS statement FROM system.tables
    WHERE database = currentDatabase() AND engine = 'MaterializedView' ORDER BY name`,
  row: viewRow,
}

/** All but those that a table makes of its others. */
const listColumns: Query<z.infer<typeof columnRow>> = {
  name: 'listColumns',
  statement: sql`SELECT table, name AS column, type, is_in_sorting_key AS key FROM system.columns
    WHERE database = currentDatabase() AND default_kind = '' ORDER BY table, position`,
  row: columnRow,
}

/** The table that a statement makes a view into; undefined where it makes none. */
export function viewTarget(statement: string): string | undefined {
  return /^CREATE MATERIALIZED VIEW (?:IF NOT EXISTS )?\S+\sTO (?:\S+\.)?`?(\w+)`?/m.exec(statement)?.[1]
}

/** The raw table, which every rollup comes from in the end. */
export const rawTable = 'reports'

/** Every rollup of the database, each after the one it is made from. */
export async function listRollups(database: Database): Promise<Rollup[]> {
  const [views, columns] = await Promise.all([database.read(listViews), database.read(listColumns)])
  const rollups = views.map(({ view, definition, statement }): Rollup => {
    const table = viewTarget(statement)
    // The first FROM names the source: subqueries come behind it.
    const [, head, source, tail] = /^(.*?)\bFROM (?:\S+\.)?`?(\w+)`?(.*)$/s.exec(definition) ?? []
    if (table === undefined || head === undefined || source === undefined || tail === undefined) {
      throw new Error(`${view} is not a view of one table into another`)
    }
    const own = columns.filter((column) => column.table === table)
    return {
      table,
      source,
      keys: own.filter(({ key }) => key).map(({ column }) => column),
      measures: own.flatMap(({ column, type }) => {
        const [, simple, combine, valueType] = measureType.exec(type) ?? []
        return combine && valueType ? [{ column, combine, isState: !simple, type: valueType }] : []
      }),
      over: (rows) => sql`${catalogued(head)}FROM (${rows}) AS ${name(source)}${catalogued(tail)}`,
    }
  })
  // What outlives the reports it was made of has no bucket, and cannot be made of them again.
  return finestFirst(rollups.filter(({ keys }) => keys.includes('bucket')))
}

/** A rollup's rows as they should be, made from other raw rows through every view between. */
export function fromRaw(rollup: Rollup, rollups: readonly Rollup[], rows: Sql): Sql {
  if (rollup.source === rawTable) return rollup.over(rows)
  const finer = rollups.find(({ table }) => table === rollup.source)
  if (!finer) throw new Error(`${rollup.source} is neither ${rawTable} nor a rollup`)
  return rollup.over(fromRaw(finer, rollups, rows))
}

function finestFirst(rollups: readonly Rollup[]): Rollup[] {
  const depth = (rollup: Rollup): number => {
    const finer = rollups.find(({ table }) => table === rollup.source)
    return finer ? depth(finer) + 1 : 0
  }
  return rollups.toSorted((a, b) => depth(a) - depth(b))
}

/** The store's own text, out of its catalogue: the one statement here that no caller and no value has touched. */
function catalogued(definition: string): Sql {
  return { strings: [definition], values: [] }
}
