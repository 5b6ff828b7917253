/** @module Random requests about given rows: types, filters that often hit, windows at and beside every alignment. */

import fc from 'fast-check'
import { type DimensionName, dimensionRows } from '../../schema/dimensions.ts'
import { dayMs } from '../../schema/durations.ts'
import { bucketSizeNames, issueConfidences } from '../../schema/enumerations.ts'
import { dimensionsOf, type ReportType, reportTypeNames, storedTypeRows } from '../../schema/report-types.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { oracleIssueId } from '../oracles/issue-oracle.ts'
import { dimensionValue, type OracleWindow } from '../oracles/oracle-parts.ts'
import type { OracleFilters } from '../oracles/report-filters.ts'

/** Values that a filter accepts (Rule 22), within its length. */
function sayable(dimension: DimensionName, value: string): boolean {
  const { match } = dimensionRows[dimension]
  const maxLength = match.kind === 'text' ? match.maxLength : 64
  return /^[ -[\]-~]+$/.test(value) && value.length <= maxLength
}

function filterValue(rows: readonly StoredReport[], dimension: DimensionName): fc.Arbitrary<string> {
  const stored = [...new Set(rows.map((row) => dimensionValue(row, dimension)))].filter((value) =>
    sayable(dimension, value),
  )
  const { match } = dimensionRows[dimension]
  const other = match.kind === 'text' ? ['nothing_like_this', '%', '_', 'it\'s "quoted" %_'] : []
  const exact = fc.constantFrom(...stored, ...(stored.length > 0 ? [] : match.kind === 'enum' ? match.values : ['x']))
  if (match.kind !== 'text') return exact
  const holed = fc.tuple(exact, fc.nat()).map(([value, at]) => {
    const hole = at % value.length
    return `${value.slice(0, hole)}_${value.slice(hole + 1)}`
  })
  const upper = exact.map((value) => value.toUpperCase())
  return fc.oneof(
    { weight: 5, arbitrary: exact },
    { weight: 3, arbitrary: holed },
    { weight: 1, arbitrary: upper },
    { weight: 1, arbitrary: fc.constantFrom(...other) },
  )
}

/** A part of a stored value, often. */
export function partsOf(stored: readonly string[]): fc.Arbitrary<string> {
  const long = stored.filter((value) => /^[ -[\]-~]{2,}$/.test(value))
  const slices = fc
    .tuple(fc.constantFrom(...long, 'xy'), fc.nat(), fc.integer({ min: 2, max: 12 }))
    .map(([value, at, length]) => {
      const start = at % (value.length - 1)
      return value.slice(start, start + length)
    })
  return fc.oneof(
    { weight: 6, arbitrary: slices },
    { weight: 1, arbitrary: slices.map((part) => part.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom('__', '%%', "o'", 'no such text') },
  )
}

type Forms = Record<string, fc.Arbitrary<string | string[]>>

/** A filter and those beside it. @param part of a text. */
function formsOf(name: string, value: fc.Arbitrary<string>, part?: fc.Arbitrary<string>): Forms {
  const orNone = fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant('') })
  const several = fc.array(orNone, { minLength: 1, maxLength: 5 })
  const forms = { [name]: value, [`${name}.any`]: several, [`${name}.not`]: several }
  return part ? { ...forms, [`${name}.contains`]: part } : forms
}

/** A filter by one dimension: one value, several, others than several, a part, or more than one of these. */
export function filterBy(rows: readonly StoredReport[], dimension: DimensionName): fc.Arbitrary<OracleFilters> {
  const isText = dimensionRows[dimension].match.kind === 'text'
  const part = isText ? partsOf([...new Set(rows.map((row) => dimensionValue(row, dimension)))]) : undefined
  const forms = formsOf(dimension, filterValue(rows, dimension), part)
  const alone = Object.entries(forms).map(([parameter, form]) => fc.record({ [parameter]: form }))
  const some = fc
    .subarray(Object.keys(forms), { minLength: 2, maxLength: 2 })
    .chain(([one = '', other = '']) => fc.record({ [one]: forms[one], [other]: forms[other] } as Forms))
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...alone) }, { weight: 1, arbitrary: some })
}

/** The filters of noise and of one issue, often absent; an issue with its site. */
function furtherFilters(ofType: readonly StoredReport[]): fc.Arbitrary<OracleFilters> {
  const noise = fc.constantFrom('exclude', 'only').map((noise): OracleFilters => ({ noise }))
  const often = [
    { weight: 5, arbitrary: fc.constant<OracleFilters>({}) },
    { weight: 3, arbitrary: noise },
  ]
  const ofIssues = ofType.filter(({ reportType }) => storedTypeRows[reportType].issue)
  if (ofIssues.length === 0) return fc.oneof(...often)
  const issue = fc
    .constantFrom(...ofIssues)
    .map((row): OracleFilters => ({ issueId: oracleIssueId(row), siteId: row.siteId }))
  const both = fc.tuple(noise, issue).map(([one, other]) => ({ ...one, ...other }))
  return fc.oneof(...often, { weight: 2, arbitrary: issue }, { weight: 1, arbitrary: both })
}

function filtersFor(
  rows: readonly StoredReport[],
  reportType: ReportType,
  dimensions: readonly DimensionName[],
): fc.Arbitrary<OracleFilters> {
  const ofType = rows.filter((row) => row.reportType === reportType)
  return fc
    .subarray([...dimensions], { minLength: 0, maxLength: Math.min(3, dimensions.length) })
    .chain((chosen) => fc.tuple(...chosen.map((dimension) => filterBy(ofType, dimension)), furtherFilters(ofType)))
    .map((filters): OracleFilters => Object.assign({}, ...filters))
}

/** Times within a range: any millisecond, and often a bucket's bound or one beside it. */
function timeWithin(from: number, to: number): fc.Arbitrary<number> {
  return fc
    .tuple(
      fc.integer({ min: from, max: to }),
      fc.constantFrom(1, 60_000, 3_600_000, dayMs),
      fc.integer({ min: -1, max: 1 }),
    )
    .map(([time, grain, nudge]) =>
      Math.min(to, Math.max(from, Math.floor(time / grain) * grain + (grain > 1 ? nudge : 0))),
    )
}

/** Windows inside `[from, to]` of at most `maxDays`. */
export function windowWithin(from: number, to: number, maxDays: number): fc.Arbitrary<OracleWindow> {
  return timeWithin(from, to - 1).chain((start) =>
    timeWithin(start + 1, Math.min(to, start + maxDays * dayMs)).map((end) => ({ from: start, to: end })),
  )
}

export interface ReportRequest {
  readonly reportType: ReportType
  readonly filters: OracleFilters
  readonly window: OracleWindow
  readonly groupBy: readonly DimensionName[]
  readonly limit: number
  readonly bucketSize: (typeof bucketSizeNames)[number]
}

/** @param among the dimensions that filter and group, of types that have them all; by default each type's own. */
export function reportRequest(
  rows: readonly StoredReport[],
  from: number,
  to: number,
  maxDays: number,
  among?: readonly DimensionName[],
): fc.Arbitrary<ReportRequest> {
  const has = (reportType: ReportType) => among?.every((one) => dimensionsOf(reportType).includes(one)) ?? true
  return fc.constantFrom('csp-violation' as const, ...reportTypeNames.filter(has)).chain((reportType) => {
    const dimensions = among ?? dimensionsOf(reportType)
    return fc.record({
      reportType: fc.constant(reportType),
      filters: filtersFor(rows, reportType, dimensions),
      window: windowWithin(from, to, maxDays),
      groupBy: fc.shuffledSubarray([...dimensions], { minLength: 1, maxLength: Math.min(2, dimensions.length) }),
      limit: fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 100 })),
      bucketSize: fc.constantFrom(...bucketSizeNames),
    })
  })
}

/** Filters of an operation over every type. */
export const everyTypeFilters = (rows: readonly StoredReport[]) =>
  fc
    .tuple(
      fc.oneof(fc.constant<OracleFilters>({}), filterBy(rows, 'siteId')),
      fc.oneof(fc.constant<OracleFilters>({}), filterBy(rows, 'page')),
      fc.oneof(fc.constant({}), fc.record({ noise: fc.constantFrom('exclude', 'only') })),
    )
    .map(([sites, pages, noise]): OracleFilters => ({ ...sites, ...pages, ...noise }))

/** Filters of issues that the contract lacks; often none. */
export function issueFilters(rows: readonly StoredReport[]): fc.Arbitrary<OracleFilters> {
  const confidences = fc.uniqueArray(fc.constantFrom(...issueConfidences), { minLength: 1, maxLength: 3 })
  const about = (name: 'subject' | 'targetHost', field: 'issueSubject' | 'issueHost') => {
    const stored = [...new Set(rows.map((row) => row[field]))].filter((value) => /^[ -[\]-~]*$/.test(value))
    return formsOf(name, fc.constantFrom(...stored.filter((value) => value !== '')), partsOf(stored))
  }
  const all: Forms = {
    'confidence.any': confidences,
    noise: fc.constantFrom('exclude', 'only'),
    new: fc.constantFrom('true', 'true', 'false'),
    ...about('subject', 'issueSubject'),
    ...about('targetHost', 'issueHost'),
  }
  return fc
    .subarray(Object.keys(all), { minLength: 0, maxLength: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, all[name] as fc.Arbitrary<string>]))))
}
