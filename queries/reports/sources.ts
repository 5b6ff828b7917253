import { type DimensionName, dimensionRows } from '../../schema/dimensions.ts'
import { bucketSizes } from '../../schema/enumerations.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import type { ReportType } from '../../schema/report-types.ts'
import { matches } from '../matches.ts'
import { partsOver, type TimedTable } from '../parts.ts'
import type { Span } from '../rules/coverage.ts'
import { name, type Sql, sql, text, uuid } from '../sql.ts'

/** A table of report counts: the raw rows, or a rollup of them. */
interface Source extends TimedTable {
  /** The column that holds a dimension. */
  column(dimension: DimensionName): Sql
  /** What must hold, beside tenant, type and time, for the rows that answer the terms. */
  where(terms: readonly FilterTerm[], dimensions: readonly DimensionName[]): readonly Sql[]
}

/** Sources that answer the same questions, coarsest first, raw rows last; finer ones serve the coarser one's edges. */
interface Family {
  answers(dimensions: readonly DimensionName[]): boolean
  readonly sources: readonly Source[]
}

const { '1m': minute, '1h': hour, '1d': day } = bucketSizes

const ownColumn = (dimension: DimensionName) => name(dimensionRows[dimension].column)
const ownColumns = (terms: readonly FilterTerm[]) => terms.map((term) => matches(ownColumn(term.dimension), term))

const raw: Source = { table: 'reports', grain: 1, time: 'received_at', column: ownColumn, where: ownColumns }

const allSites = '00000000-0000-0000-0000-000000000000'

const total = (table: string, grain: number): Source => ({
  table,
  grain,
  time: 'bucket',
  column: ownColumn,
  where: (terms) => (terms.length > 0 ? ownColumns(terms) : [sql`site_id = ${uuid(allSites)}`]),
})

const marginal = (table: string, grain: number): Source => ({
  table,
  grain,
  time: 'bucket',
  column: () => name('value'),
  where: (terms, dimensions) => [
    ...dimensions.map((dimension) => sql`dimension = ${text(dimension)}`),
    ...terms.map((term) => matches(name('value'), term, 'text')),
  ],
})

const cube = (table: string, grain: number): Source => ({
  table,
  grain,
  time: 'bucket',
  column: ownColumn,
  where: ownColumns,
})

/** Every family, cheapest first: the first that answers is taken, and raw rows answer everything. */
const families: readonly Family[] = [
  // Totals hold no first and last time, which only groupings need: a grouping by site goes to the marginals.
  {
    answers: (dimensions) => dimensions.every((dimension) => dimension === 'siteId'),
    sources: [total('totals_hour', hour), total('totals_minute', minute), raw],
  },
  {
    answers: (dimensions) => dimensions.length === 1,
    sources: [marginal('marginals_day', day), marginal('marginals_hour', hour), raw],
  },
  {
    answers: (dimensions) => dimensions.every((dimension) => dimensionRows[dimension].low === true),
    sources: [cube('cube_day', day), cube('cube_hour', hour), raw],
  },
  { answers: () => true, sources: [raw] },
]

/** What a question about counts asks of the store. */
export interface CountQuestion {
  readonly tenantId: string
  /** All types together where it is undefined; then only totals answer. */
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
  readonly time: Sql
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
  const dimensions = [...new Set([...question.terms.map((term) => term.dimension), ...question.groupBy])]
  const family = families.find(
    ({ answers }, index) => answers(dimensions) && (index > 0 || question.groupBy.length === 0),
  )
  const sources = (family?.sources ?? [raw]).filter(({ grain }) => (question.bucket ?? grain) % grain === 0)
  const type = question.reportType ? [sql`report_type = ${text(question.reportType)}`] : []
  const conditions = (source: Source) => [...type, ...source.where(question.terms, dimensions)]
  return partsOver(sources, question.tenantId, question.windows, conditions).map(({ table, from }) => ({
    from,
    time: name(table.time),
    column: table.column,
    measure: table.grain === 1 ? rawMeasures : rollupMeasures,
  }))
}
