import { type DimensionName, dimensionNames, dimensionPairs, dimensionRows } from '../../schema/dimensions.ts'
import { bucketSizes } from '../../schema/enumerations.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import type { ReportType } from '../../schema/report-types.ts'
import { matches } from '../matches.ts'
import { partsOver, type TimedTable } from '../parts.ts'
import type { Span } from '../rules/coverage.ts'
import { name, type Sql, sql, text } from '../sql.ts'

/** A table of report counts: the raw rows, or a rollup of them. */
interface Source extends TimedTable {
  /** The column that holds a dimension. */
  column(dimension: DimensionName): Sql
  /** What must hold, beside tenant, type and time, for the rows that answer the terms. */
  where(terms: readonly FilterTerm[], dimensions: readonly DimensionName[]): readonly Sql[]
}

/** What decides which tables can answer a question, and which answers it cheapest. */
interface Shape {
  /** Of its filter terms and its grouping, each once. */
  readonly dimensions: readonly DimensionName[]
  readonly isGrouped: boolean
  /** Some term stands for several values. */
  readonly isPattern: boolean
  /** Milliseconds; undefined where times are not asked for. */
  readonly bucket: number | undefined
}

/** Sources that answer the same questions, coarsest first, raw rows last; finer ones serve the coarser one's edges. */
interface Family {
  answers(shape: Shape): boolean
  readonly sources: readonly Source[]
}

const { '1m': minute, '1h': hour, '1d': day } = bucketSizes

const ownColumn = (dimension: DimensionName) => name(dimensionRows[dimension].column)

/** A table that has the raw table's own columns. */
const ownColumns = (table: string, grain: number, time: Source['time'] = 'bucket'): Source => ({
  table,
  grain,
  time,
  column: ownColumn,
  where: (terms) => terms.map((term) => matches(ownColumn(term.dimension), term)),
})

const raw = ownColumns('reports', 1, 'received_at')

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

const isLow = (dimension: DimensionName) => dimensionRows[dimension].lowCardinality === true

const lowDimensions = dimensionNames.filter(isLow)

/** Rollups of every combination of some dimensions, coarsest first, of the types that carry them. */
const combinations = (held: readonly DimensionName[], ...rollups: readonly Source[]): Family => ({
  answers: ({ dimensions }) => dimensions.every((dimension) => held.includes(dimension)),
  sources: [...rollups, raw],
})

/**
 * Every family, cheapest first: the first that answers is taken, and raw rows answer everything. A further source costs a
 * statement or a branch of one, as much as reading a million rows, so most have one rollup and end in raw rows at once.
 */
const families: readonly Family[] = [
  // Types' counts, and the hours of one value, hold no first and last time, which only groupings need.
  {
    answers: ({ dimensions, bucket = hour }) => dimensions.length === 0 && bucket % hour === 0,
    sources: [ownColumns('type_counts_hour', hour), raw],
  },
  {
    answers: ({ dimensions }) => dimensions.length === 0,
    sources: [ownColumns('type_counts_minute', minute), raw],
  },
  {
    answers: ({ dimensions }) => dimensions.length === 1 && dimensions.every(isLow),
    sources: [valueCounts('cube_value_counts_hour', hour), raw],
  },
  {
    answers: ({ dimensions, isGrouped, isPattern }) => dimensions.length === 1 && !isGrouped && !isPattern,
    sources: [valueCounts('value_counts_hour_by_value', hour), raw],
  },
  {
    answers: ({ dimensions }) => dimensions.length === 1,
    sources: [valueCounts('value_counts_day', day), valueCounts('value_counts_hour_by_time', hour), raw],
  },
  combinations(lowDimensions, ownColumns('cube_counts_day', day), ownColumns('cube_counts_hour', hour)),
  ...dimensionPairs.map((pair) => combinations(pair, pairCounts('pair_counts_day', day, pair))),
  combinations(['blockedHost', ...lowDimensions], ownColumns('blocked_counts_day', day)),
  combinations(['siteId', 'documentHost', ...lowDimensions], ownColumns('page_counts_day', day)),
  combinations(['siteId', 'documentHost', 'directive', 'blockedHost'], ownColumns('host_counts_day', day)),
  { answers: () => true, sources: [raw] },
]

/** What a question about counts asks of the store. */
export interface CountQuestion {
  readonly tenantId: string
  /** All types together where it is undefined. */
  readonly reportType: ReportType | undefined
  readonly terms: readonly FilterTerm[]
  readonly groupBy: readonly DimensionName[]
  /** Windows that must not be added up across their bounds. */
  readonly windows: readonly Span[]
  /** Times are answered no finer than this, in milliseconds: a source must divide it. */
  readonly bucket?: number
}

/** One source's share of a question: the FROM and WHERE of its SELECT, and its measures. */
export interface Part {
  readonly from: Sql
  readonly time: TimedTable['time']
  readonly column: (dimension: DimensionName) => Sql
  readonly measure: Measures
}

/** Measures of a source's rows, of those that meet a condition where one is given. */
interface Measures {
  reportCount(condition?: Sql): Sql
  weight: Sql
  firstSeen(condition: Sql): Sql
  lastSeen(condition: Sql): Sql
}

const rawMeasures: Measures = {
  reportCount: (condition) => (condition ? sql`countIf(${condition})` : sql`count()`),
  weight: sql`sum(weight)`,
  firstSeen: (condition) => sql`minIf(received_at, ${condition})`,
  lastSeen: (condition) => sql`maxIf(received_at, ${condition})`,
}

const rollupMeasures: Measures = {
  reportCount: (condition) => (condition ? sql`sumIf(report_count, ${condition})` : sql`sum(report_count)`),
  weight: sql`sum(weight)`,
  firstSeen: (condition) => sql`minIf(first_seen, ${condition})`,
  lastSeen: (condition) => sql`maxIf(last_seen, ${condition})`,
}

/**
 * The parts that together answer a question, exactly and without overlap. The first family that has the question's
 * dimensions is taken, its sources too coarse for the asked bucket left out. Every part carries the tenant.
 */
export function partsOf(question: CountQuestion): Part[] {
  const { terms, groupBy, bucket } = question
  const dimensions = [...new Set([...terms.map((term) => term.dimension), ...groupBy])]
  const isPattern = terms.some(({ value }) => value.includes('_'))
  const shape = { dimensions, isGrouped: groupBy.length > 0, isPattern, bucket }
  const family = families.find(({ answers }) => answers(shape))
  const sources = (family?.sources ?? [raw]).filter(({ grain }) => (bucket ?? grain) % grain === 0)
  const type = question.reportType ? [sql`report_type = ${text(question.reportType)}`] : []
  const conditions = (source: Source) => [...type, ...source.where(terms, dimensions)]
  return partsOver(sources, question.tenantId, question.windows, conditions).map(({ table, from }) => ({
    from,
    time: table.time,
    column: table.column,
    measure: table.grain === 1 ? rawMeasures : rollupMeasures,
  }))
}
