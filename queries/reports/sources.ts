import { type DimensionName, dimensionNames, dimensionRows } from '../../schema/dimensions.ts'
import { day, hour, minute } from '../../schema/durations.ts'
import { dimensionsOf, type FilterTerm } from '../../schema/report-filter.ts'
import type { ReportType } from '../../schema/report-types.ts'
import { matches } from '../matches.ts'
import type { TimedTable } from '../parts.ts'
import { name, type Sql, sql, text } from '../sql.ts'

/** A table of report counts: the raw rows, or a rollup of them. */
export interface Source extends TimedTable {
  /** The column that holds a dimension. */
  column(dimension: DimensionName): Sql
  /** What must hold, beside tenant, type and time, for the rows that answer the terms. */
  where(terms: readonly FilterTerm[], dimensions: readonly DimensionName[]): readonly Sql[]
}

/** What decides which tables can answer a question, and which answers it cheapest. */
interface Shape {
  /** All types together where it is undefined. */
  readonly reportType: ReportType | undefined
  /** Of its filter terms and its grouping, each once. */
  readonly dimensions: readonly DimensionName[]
  readonly isGrouped: boolean
  /** Some term stands for several values. */
  readonly isPattern: boolean
  /** Milliseconds; undefined where times are not asked for. */
  readonly bucket: number | undefined
}

/** Rollups that answer the same questions. */
interface Family {
  /** They hold the report types with this dimension; every one where it is undefined. */
  readonly typesWith?: DimensionName
  /** What they hold, of the types that carry it. */
  readonly dimensions: readonly DimensionName[]
  /** They hold the values of one dimension at a time instead of every combination. */
  readonly isSingle?: true
  /** What else a question must be. */
  fits?(shape: Shape): boolean
  /** Coarsest first: finer ones serve the coarser one's edges. */
  readonly rollups: readonly Source[]
}

const ownColumn = (dimension: DimensionName) => name(dimensionRows[dimension].column)

/** A table that has the raw table's own columns. */
const ownColumns = (table: string, grain: number, time: Source['time'] = 'bucket'): Source => ({
  table,
  grain,
  time,
  column: ownColumn,
  where: (terms) => terms.map((term) => matches(ownColumn(term.dimension), term)),
})

/** The raw rows, which answer everything. */
export const raw = ownColumns('reports', 1, 'received_at')

/** A table of the values of one dimension at a time, as text. */
const valueCounts = (table: string, grain: number): Source => ({
  table,
  grain,
  time: 'bucket',
  column: () => name('value'),
  where: (terms, dimensions) => [
    ...dimensions.map((dimension) => sql`dimension = ${text(dimension)}`),
    ...terms.map((term) => matches(name('value'), term, 'text')),
  ],
})

/** A table of the values of two dimensions, as text. */
const pairCounts = (table: string, grain: number, pair: readonly DimensionName[]): Source => {
  const column = (dimension: DimensionName) => name(dimension === pair[0] ? 'value' : 'other_value')
  return {
    table,
    grain,
    time: 'bucket',
    column,
    where: (terms) => [
      sql`dimensions = ${text(pair.join(','))}`,
      ...terms.map((term) => matches(column(term.dimension), term, 'text')),
    ],
  }
}

const lowCardinality = dimensionNames.filter((dimension) => dimensionRows[dimension].lowCardinality)
const highCardinality = dimensionNames.filter((dimension) => !dimensionRows[dimension].lowCardinality)

/** Pairs of dimensions, not both with few values, that are asked for often. */
const pairs: readonly (readonly [DimensionName, DimensionName])[] = [
  ['siteId', 'directive'],
  ['siteId', 'blockedHost'],
  ['directive', 'blockedHost'],
]

/**
 * Every family, cheapest first: the first that answers is taken, and raw rows answer what none does. A further source costs
 * a statement or a branch of one, as much as reading a million rows, so most have one rollup and end in raw rows at once.
 */
export const families: readonly Family[] = [
  // Types' counts, and the hours of one value, hold no first and last time, which only groupings need.
  {
    dimensions: [],
    fits: ({ bucket = hour }) => bucket % hour === 0,
    rollups: [ownColumns('reports_per_hour', hour)],
  },
  { dimensions: [], rollups: [ownColumns('reports_per_minute', minute)] },
  { dimensions: lowCardinality, isSingle: true, rollups: [valueCounts('reports_per_hour_by_cube_value', hour)] },
  {
    dimensions: highCardinality,
    isSingle: true,
    fits: ({ isGrouped, isPattern }) => !isGrouped && !isPattern,
    rollups: [valueCounts('reports_per_hour_by_value', hour)],
  },
  {
    dimensions: highCardinality,
    isSingle: true,
    rollups: [
      valueCounts('reports_per_day_by_value', day),
      valueCounts('reports_per_hour_by_value_time_ordered', hour),
    ],
  },
  {
    dimensions: lowCardinality,
    rollups: [ownColumns('reports_per_day_by_cube', day), ownColumns('reports_per_hour_by_cube', hour)],
  },
  ...pairs.map(
    (pair): Family => ({
      typesWith: 'blockedHost',
      dimensions: pair,
      rollups: [pairCounts('reports_per_day_by_pair', day, pair)],
    }),
  ),
  {
    typesWith: 'blockedHost',
    dimensions: ['blockedHost', 'directive', 'disposition', 'browserName', 'osName', 'deviceType'],
    rollups: [ownColumns('reports_per_day_by_blocked_host_cube', day)],
  },
  {
    dimensions: ['siteId', 'documentHost', ...lowCardinality],
    rollups: [ownColumns('reports_per_day_by_document_host_cube', day)],
  },
  {
    typesWith: 'blockedHost',
    dimensions: ['siteId', 'documentHost', 'directive', 'blockedHost'],
    rollups: [ownColumns('reports_per_day_by_hosts', day)],
  },
]

/** The rollups of the first family that answers a question, coarsest first; none where only raw rows do. */
export function rollupsFor(shape: Shape): readonly Source[] {
  const ofType = shape.reportType ? dimensionsOf(shape.reportType) : []
  const answers = ({ typesWith, dimensions, isSingle, fits }: Family) =>
    (typesWith === undefined || ofType.includes(typesWith)) &&
    shape.dimensions.length <= (isSingle ? 1 : dimensions.length) &&
    shape.dimensions.every((dimension) => dimensions.includes(dimension)) &&
    (fits?.(shape) ?? true)
  return families.find(answers)?.rollups ?? []
}
