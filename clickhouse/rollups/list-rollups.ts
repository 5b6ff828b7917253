import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { join, name, type Sql, sql } from '../../queries/sql/sql.ts'

/** A table that materialized views fill, described by ClickHouse's catalogue. */
export interface Rollup {
  readonly table: string
  /** The table its views read: `reports`, or a finer rollup. */
  readonly source: string
  /** Names of its views. */
  readonly views: readonly string[]
  /** Sorting key; tenant_id, report_type and bucket are in it. */
  readonly keys: readonly string[]
  /** Keys that can be NULL, which no IN matches. */
  readonly nullableKeys: readonly string[]
  readonly measures: readonly RollupMeasure[]
  /** The views' SELECTs over other rows of their source. */
  over(source: Sql): Sql
}

export interface RollupMeasure {
  readonly column: string
  /** Aggregate function, such as `sum`. */
  readonly combine: string
  /** AggregateFunction instead of SimpleAggregateFunction. */
  readonly isState: boolean
  readonly type: string
}

/** A count or a weight. */
export const isSum = ({ combine, type }: RollupMeasure): boolean => combine === 'sum' && type === 'UInt64'

const measureType = /^(Simple)?AggregateFunction\((\w+), (.+)\)$/

const viewRow = z.object({ view: z.string(), definition: z.string(), statement: z.string() })
const columnRow = z.object({ table: z.string(), column: z.string(), type: z.string(), key: z.coerce.boolean() })

const listViews: Query<z.infer<typeof viewRow>> = {
  name: 'listViews',
  statement: sql`
    SELECT name AS view, as_select AS definition, create_table_query AS statement
    FROM system.tables
    WHERE database = currentDatabase() AND engine = 'MaterializedView'
    ORDER BY name`,
  row: viewRow,
}

/** Columns except computed ones. */
const listColumns: Query<z.infer<typeof columnRow>> = {
  name: 'listColumns',
  statement: sql`
    SELECT table, name AS column, type, is_in_sorting_key AS key
    FROM system.columns
    WHERE database = currentDatabase() AND default_kind = ''
    ORDER BY table, position`,
  row: columnRow,
}

/** The table a CREATE MATERIALIZED VIEW writes to; undefined for other statements. */
export function viewTarget(statement: string): string | undefined {
  return /^CREATE MATERIALIZED VIEW (?:IF NOT EXISTS )?\S+\sTO (?:\S+\.)?`?(\w+)`?/m.exec(statement)?.[1]
}

/** SELECT of a view around its source, which the first FROM names, because subqueries follow it. */
export const viewSource = /^(.*?)\bFROM (?:\S+\.)?`?(\w+)`?(.*)$/s

/** Every table of the database that a view fills. */
export async function viewTargets(database: Database): Promise<string[]> {
  const targets = (await database.read(listViews)).map(({ statement }) => viewTarget(statement))
  return [...new Set(targets.filter((target) => target !== undefined))]
}

export const rawTable = 'reports'

/** Names of columns, separated by commas. */
export const list = (columns: readonly string[]): Sql => join(columns.map(name), ', ')

export const columnsOf = ({ keys, measures }: Rollup): Sql => list([...keys, ...measures.map(({ column }) => column)])

/** Every rollup of the database with a bucket, sources before the rollups that use them. */
export async function listRollups(database: Database): Promise<Rollup[]> {
  return (await listAggregates(database)).filter(hasBucket)
}

/** A rollup without a bucket outlives its reports and cannot be rebuilt from them. */
export const hasBucket = ({ keys }: Rollup): boolean => keys.includes('bucket')

/** Rollups, and similar tables without a bucket, sources before the tables that use them. */
export async function listAggregates(database: Pick<Database, 'read'>): Promise<Rollup[]> {
  const [views, columns] = await Promise.all([database.read(listViews), database.read(listColumns)])
  const rollups = views.map(({ view, definition, statement }): Rollup => {
    const table = viewTarget(statement)
    const [, head, source, tail] = viewSource.exec(definition) ?? []
    if (table === undefined || head === undefined || source === undefined || tail === undefined) {
      throw new Error(`${view} must read one table and write to another`)
    }
    const own = columns.filter((column) => column.table === table)
    return {
      table,
      source,
      views: [view],
      keys: own.filter(({ key }) => key).map(({ column }) => column),
      nullableKeys: own.filter(({ key, type }) => key && type.startsWith('Nullable(')).map(({ column }) => column),
      measures: own.flatMap(({ column, type }) => {
        const [, simple, combine, valueType] = measureType.exec(type) ?? []
        return combine && valueType ? [{ column, combine, isState: !simple, type: valueType }] : []
      }),
      over: (rows) => sql`${fromCatalogue(head)}FROM (${rows}) AS ${name(source)}${fromCatalogue(tail)}`,
    }
  })
  return sourcesFirst(mergedByTable(rollups.filter(({ measures }) => measures.length > 0)))
}

/** Sorts sources before the tables that use them. */
export function sourcesFirst<Table extends Pick<Rollup, 'table' | 'source'>>(tables: readonly Table[]): Table[] {
  const depth = (of: Table | undefined): number => (of ? 1 + depth(tables.find(({ table }) => table === of.source)) : 0)
  return tables.toSorted((a, b) => depth(a) - depth(b))
}

function mergedByTable(rollups: readonly Rollup[]): Rollup[] {
  const tables = [...new Set(rollups.map(({ table }) => table))]
  return tables.map((table) => {
    const ofTable = rollups.filter((rollup) => rollup.table === table)
    const [first, ...others] = ofTable as [Rollup, ...Rollup[]]
    if (others.some(({ source }) => source !== first.source))
      throw new Error(`The views of ${table} must read the same table`)
    return {
      ...first,
      views: ofTable.flatMap(({ views }) => views),
      over: (rows) =>
        join(
          ofTable.map(({ over }) => over(rows)),
          ' UNION ALL ',
        ),
    }
  })
}

/** SELECT of a rollup's rows from raw rows, through every view between. */
export function fromRaw(rollup: Rollup, rollups: readonly Rollup[], rows: Sql): Sql {
  if (rollup.source === rawTable) return rollup.over(rows)
  const finer = rollups.find(({ table }) => table === rollup.source)
  if (!finer) throw new Error(`${rollup.source} is neither ${rawTable} nor a rollup`)
  return rollup.over(fromRaw(finer, rollups, rows))
}

/** Text from ClickHouse's catalogue, the only SQL text that no caller's value can reach. */
function fromCatalogue(definition: string): Sql {
  return { strings: [definition], values: [] }
}
