import { z } from 'zod'
import { addition } from './additions.ts'
import {
  type ComputedDimension,
  computedDimensions,
  type DimensionName,
  dimensionNames,
  dimensionRows,
  type FieldDimension,
  fieldDimensions,
} from './dimensions.ts'
import { issueIdParam } from './issue-filter.ts'
import { keyOfIssueId } from './issue-id.ts'
import { isNoise, noiseParam } from './noise-filter.ts'
import { oneOf, textFilter, uuid } from './params.ts'
import { Problem } from './problems.ts'
import {
  dimensionsOf,
  hasDimension,
  issueTypeNames,
  type ReportType,
  reportTypeNames,
  reportTypeRows,
  type StoredType,
  storedTypeNames,
} from './report-types.ts'
import { conditionsOf, type ValueCondition, valueFilters } from './value-filters.ts'

/** Terms are in the dimension table's order. */
export interface ReportFilter {
  readonly reportType: ReportType
  readonly terms: readonly FilterTerm[]
  /** Only noise, or only other reports. */
  readonly noise?: boolean | undefined
  readonly issueKey?: bigint | undefined
}

export interface FilterTerm extends ValueCondition {
  readonly dimension: DimensionName
}

function typesWith(dimension: DimensionName): ReportType[] {
  return reportTypeNames.filter((reportType) => hasDimension(reportType, dimension))
}

function about(name: DimensionName): string {
  const row = dimensionRows[name]
  return row.everyType ? row.description : `${row.description} (${typesWith(name).join(', ')} only)`
}

function filterParam(name: DimensionName): z.ZodType<string, string> {
  const { match } = dimensionRows[name]
  const description = `Filters by ${about(name)}`
  if (match.kind === 'uuid') return uuid(description)
  if (match.kind === 'enum') return oneOf(match.values, description)
  const text = textFilter(match.maxLength, description)
  return match.lowerCase ? text.toLowerCase() : text
}

type FilterParam = z.ZodType<string | undefined, string | undefined>

const filterParams = Object.fromEntries(
  fieldDimensions.map((name): [string, FilterParam] => [name, filterParam(name).optional()]),
) as Record<FieldDimension, FilterParam>

const computedFilters = Object.fromEntries(
  computedDimensions.map((name): [string, FilterParam] => {
    const { example } = dimensionRows[name]
    return [name, addition(filterParam(name).meta({ examples: [example] }))]
  }),
) as Record<ComputedDimension, FilterParam>

export const reportFilterParams = {
  reportType: oneOf(reportTypeNames, 'The report type').default('csp-violation'),
  ...filterParams,
}

const contractQuery = z.object(reportFilterParams)

type DimensionFilters = ReturnType<typeof valueFilters<DimensionName>>

const dimensionFilters = Object.fromEntries(
  dimensionNames.flatMap((name) => {
    const { match, example } = dimensionRows[name]
    return Object.entries(valueFilters(name, match, { about: about(name), example }))
  }),
) as DimensionFilters

/** Filters that the contract lacks. */
export const reportFilterAdditions = {
  ...computedFilters,
  ...dimensionFilters,
  noise: noiseParam,
  issueId: issueIdParam,
}

const { 'siteId.any': anySite, 'siteId.not': noSite, noise } = reportFilterAdditions
const { page, 'page.any': anyPage, 'page.not': noPage, 'page.contains': partOfPage } = reportFilterAdditions

export const pageFilters = { page, 'page.any': anyPage, 'page.not': noPage, 'page.contains': partOfPage }

/** Additions of operations over every type. */
export const everyTypeAdditions = { 'siteId.any': anySite, 'siteId.not': noSite, ...pageFilters, noise }

type FilterQuery = z.output<typeof contractQuery> & {
  readonly [Name in keyof typeof reportFilterAdditions]?: z.output<(typeof reportFilterAdditions)[Name]>
}

const conditionsOn = Object.fromEntries(dimensionNames.map((name) => [name, conditionsOf(name)])) as Readonly<
  Record<DimensionName, ReturnType<typeof conditionsOf>>
>

const conditionsIn = (
  query: Readonly<Record<string, unknown>>,
  dimensions: readonly DimensionName[] = dimensionNames,
) => dimensions.flatMap((dimension) => conditionsOn[dimension](query).map((condition) => ({ dimension, ...condition })))

const toTerm = ({ parameter: _, ...term }: ReturnType<typeof conditionsIn>[number]): FilterTerm => term

const toIssueKey = (issueId: string | undefined) => (issueId === undefined ? undefined : keyOfIssueId(issueId))

/** Throws bad_request for a dimension or an issue that the type lacks (Rule 23). */
export function toReportFilter(query: FilterQuery): ReportFilter {
  const { reportType, siteId, noise, issueId } = query
  const conditions = conditionsIn(query)
  for (const { dimension, parameter } of conditions) requireDimension(reportType, dimension, parameter)
  if (issueId !== undefined) requireIssue(reportType, siteId)
  return { reportType, terms: conditions.map(toTerm), noise: isNoise(noise), issueKey: toIssueKey(issueId) }
}

/** Filters of stored reports, of all types by default. */
export const storedReportParams = {
  ...reportFilterParams,
  ...reportFilterAdditions,
  reportType: oneOf(storedTypeNames as [StoredType, ...StoredType[]], 'The report type').optional(),
}

export type StoredReportQuery = Omit<FilterQuery, 'reportType'> & { readonly reportType?: StoredType | undefined }

/**
 * The given type, or every type that has all dimensions of the filter. Throws bad_request for a dimension that the type
 * lacks, or if no type has all.
 */
export function toStoredReportFilter(query: StoredReportQuery) {
  const { reportType, noise, issueId } = query
  const conditions = conditionsIn(query)
  if (reportType) for (const { dimension, parameter } of conditions) requireDimension(reportType, dimension, parameter)
  const types = storedTypeNames.filter(
    (type) => (reportType ?? type) === type && conditions.every(({ dimension }) => hasDimension(type, dimension)),
  )
  if (types.length === 0) {
    throw new Problem('bad_request', `no report type has ${conditions.map(({ parameter }) => parameter).join(' and ')}`)
  }
  return { types, terms: conditions.map(toTerm), noise: isNoise(noise), issueKey: toIssueKey(issueId) }
}

export const toEveryTypeFilter = (query: Readonly<Record<string, unknown>> & Partial<Pick<FilterQuery, 'noise'>>) => ({
  terms: conditionsIn(query, ['siteId', 'page']).map(toTerm),
  noise: isNoise(query.noise),
})

export const toPageConditions = (query: Readonly<Record<string, unknown>>): readonly ValueCondition[] =>
  conditionsOn.page(query)

function requireIssue(reportType: ReportType, siteId: string | undefined): void {
  if (!reportTypeRows[reportType].issue) {
    const types = issueTypeNames.join(', ')
    throw new Problem(
      'bad_request',
      `issueId: ${reportType} reports have no issues; send the reportType of the issue: ${types}`,
    )
  }
  if (siteId === undefined) throw new Problem('bad_request', 'issueId requires the siteId of the issue')
}

export function requireDimension(reportType: StoredType, dimension: DimensionName, parameter: string): void {
  if (hasDimension(reportType, dimension)) return
  throw new Problem(
    'bad_request',
    `${parameter}: ${reportType} reports have no ${dimension}; they have ${dimensionsOf(reportType).join(', ')}`,
  )
}
