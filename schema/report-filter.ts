import { z } from 'zod'
import { type DimensionName, type DimensionRow, dimensionNames, dimensionRows } from './dimensions.ts'
import { oneOf, textFilter, uuid } from './params.ts'
import { Problem } from './problems.ts'
import { type ReportType, reportTypeNames, type StoredType, storedTypeRows } from './report-types.ts'

/** Terms are in the dimension table's order. */
export interface ReportFilter {
  readonly reportType: ReportType
  readonly terms: readonly FilterTerm[]
}

export interface FilterTerm {
  readonly dimension: DimensionName
  readonly value: string
}

function hasDimension(reportType: StoredType, dimension: DimensionName): boolean {
  return dimensionRows[dimension].everyType === true || storedTypeRows[reportType].dimensions.includes(dimension)
}

function typesWith(dimension: DimensionName): ReportType[] {
  return reportTypeNames.filter((reportType) => hasDimension(reportType, dimension))
}

export function dimensionsOf(reportType: StoredType): DimensionName[] {
  return dimensionNames.filter((dimension) => hasDimension(reportType, dimension))
}

function filterParam(name: DimensionName, row: DimensionRow): z.ZodType<string | undefined, string | undefined> {
  const only = row.everyType ? '' : ` (${typesWith(name).join(', ')} only)`
  const description = `Filters by ${row.description}${only}`
  if (row.match.kind === 'uuid') return uuid(description).optional()
  if (row.match.kind === 'enum') return oneOf(row.match.values, description).optional()
  const text = textFilter(row.match.maxLength, description)
  return (row.match.lowerCase ? text.toLowerCase() : text).optional()
}

const filterParams = Object.fromEntries(
  dimensionNames.map((name) => [name, filterParam(name, dimensionRows[name])]),
) as Record<DimensionName, z.ZodType<string | undefined, string | undefined>>

export const reportFilterParams = {
  reportType: oneOf(reportTypeNames, 'The report type').default('csp-violation'),
  ...filterParams,
}

const reportFilterQuery = z.object(reportFilterParams)

/** Throws bad_request for a dimension that the type lacks (Rule 23). */
export function toReportFilter(query: z.output<typeof reportFilterQuery>): ReportFilter {
  const { reportType } = query
  const terms: FilterTerm[] = []
  for (const dimension of dimensionNames) {
    const value = query[dimension]
    if (value === undefined) continue
    requireDimension(reportType, dimension, dimension)
    terms.push({ dimension, value })
  }
  return { reportType, terms }
}

export function requireDimension(reportType: ReportType, dimension: DimensionName, parameter: string): void {
  if (hasDimension(reportType, dimension)) return
  throw new Problem(
    'bad_request',
    `${parameter}: ${reportType} reports have no ${dimension}; they have ${dimensionsOf(reportType).join(', ')}`,
  )
}
