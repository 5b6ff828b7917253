import type { DimensionName } from '../../schema/dimensions.ts'
import type { FilterTerm } from '../../schema/report-filter.ts'
import type { ReportType } from '../../schema/report-types.ts'
import { partsOver, type TimedTable } from '../parts.ts'
import type { Span } from '../rules/coverage.ts'
import { type Sql, sql, text } from '../sql.ts'
import { raw, rollupsFor, type Source } from './sources.ts'

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
  firstSeen: (condition) => sql`minIf(first_seen_at, ${condition})`,
  lastSeen: (condition) => sql`maxIf(last_seen_at, ${condition})`,
}

/**
 * The parts that together answer a question, exactly and without overlap: of the cheapest rollups that answer it, those too
 * coarse for the asked bucket left out, and of the raw rows. Every part carries the tenant.
 */
export function partsOf(question: CountQuestion): Part[] {
  const { reportType, terms, groupBy, bucket } = question
  const dimensions = [...new Set([...terms.map((term) => term.dimension), ...groupBy])]
  const isPattern = terms.some(({ value }) => value.includes('_'))
  const rollups = rollupsFor({ reportType, dimensions, isGrouped: groupBy.length > 0, isPattern, bucket })
  const sources = [...rollups, raw].filter(({ grain }) => (bucket ?? grain) % grain === 0)
  const type = reportType ? [sql`report_type = ${text(reportType)}`] : []
  const conditions = (source: Source) => [...type, ...source.where(terms, dimensions)]
  return partsOver(sources, question.tenantId, question.windows, conditions).map(({ table, from }) => ({
    from,
    time: table.time,
    column: table.column,
    measure: table.grain === 1 ? rawMeasures : rollupMeasures,
  }))
}
