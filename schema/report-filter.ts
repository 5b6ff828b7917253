import { z } from 'zod'
import { type DimensionName, type DimensionRow, dimensionNames, dimensionRows } from './dimensions.ts'
import { issueIdParam } from './issue-filter.ts'
import { keyOfIssueId } from './issue-id.ts'
import { isNoise, noiseParam } from './noise-filter.ts'
import { oneOf, textFilter, uuid } from './params.ts'
import { Problem } from './problems.ts'
import {
  issueTypeNames,
  type ReportType,
  reportTypeNames,
  reportTypeRows,
  type StoredType,
  storedTypeRows,
} from './report-types.ts'
import { conditionsOf, type ValueCondition, valueFilters } from './value-filters.ts'

/** Terms are in the dimension table's order. */
export interface ReportFilter {
  readonly reportType: ReportType
  readonly terms: readonly FilterTerm[]
  /** Reports that are noise alone, or those that are none. */
  readonly noise?: boolean | undefined
  readonly issueKey?: bigint | undefined
}

export interface FilterTerm extends ValueCondition {
  readonly dimension: DimensionName
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

function about(name: DimensionName, row: DimensionRow): string {
  return row.everyType ? row.description : `${row.description} (${typesWith(name).join(', ')} only)`
}

function filterParam(name: DimensionName, row: DimensionRow): z.ZodType<string | undefined, string | undefined> {
  const description = `Filters by ${about(name, row)}`
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

const contractQuery = z.object(reportFilterParams)

type DimensionFilters = ReturnType<typeof valueFilters<DimensionName>>

const dimensionFilters = Object.fromEntries(
  dimensionNames.flatMap((name) => {
    const row = dimensionRows[name]
    return Object.entries(valueFilters(name, row.match, { about: about(name, row), example: row.example }))
  }),
) as DimensionFilters

/** Filters that the contract lacks. */
export const reportFilterAdditions = { ...dimensionFilters, noise: noiseParam, issueId: issueIdParam }

const { 'siteId.any': anySite, 'siteId.not': noSite, noise } = reportFilterAdditions

/** Of an operation over every type. */
export const everyTypeAdditions = { 'siteId.any': anySite, 'siteId.not': noSite, noise }

type FilterQuery = z.output<typeof contractQuery> & {
  readonly [Name in keyof typeof reportFilterAdditions]?: z.output<(typeof reportFilterAdditions)[Name]>
}

const conditionsOn = Object.fromEntries(dimensionNames.map((name) => [name, conditionsOf(name)])) as Readonly<
  Record<DimensionName, ReturnType<typeof conditionsOf>>
>

/** Throws bad_request for a dimension or an issue that the type lacks (Rule 23). */
export function toReportFilter(query: FilterQuery): ReportFilter {
  const { reportType, siteId, noise, issueId } = query
  const terms = dimensionNames.flatMap((dimension) =>
    conditionsOn[dimension](query).map(({ parameter, ...condition }): FilterTerm => {
      requireDimension(reportType, dimension, parameter)
      return { dimension, ...condition }
    }),
  )
  if (issueId !== undefined) requireIssue(reportType, siteId)
  const issueKey = issueId === undefined ? undefined : keyOfIssueId(issueId)
  return { reportType, terms, noise: isNoise(noise), issueKey }
}

export const toEveryTypeFilter = (query: Readonly<Record<string, unknown>> & Partial<Pick<FilterQuery, 'noise'>>) => ({
  terms: conditionsOn
    .siteId(query)
    .map(({ parameter: _, ...condition }): FilterTerm => ({ dimension: 'siteId', ...condition })),
  noise: isNoise(query.noise),
})

function requireIssue(reportType: ReportType, siteId: string | undefined): void {
  if (!reportTypeRows[reportType].issue) {
    const types = issueTypeNames.join(', ')
    throw new Problem(
      'bad_request',
      `issueId: ${reportType} reports make no issues; send the reportType of the issue, of ${types}`,
    )
  }
  if (siteId === undefined) throw new Problem('bad_request', 'issueId: an issue is of one site; send its siteId too')
}

export function requireDimension(reportType: ReportType, dimension: DimensionName, parameter: string): void {
  if (hasDimension(reportType, dimension)) return
  throw new Problem(
    'bad_request',
    `${parameter}: ${reportType} reports have no ${dimension}; they have ${dimensionsOf(reportType).join(', ')}`,
  )
}
