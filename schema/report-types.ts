import { type DimensionName, dimensionNames, dimensionRows } from './dimensions.ts'
import type { ReportTypeRow } from './report-type.ts'
import { reportTypes } from './report-types/all.ts'
import { cspHash } from './report-types/csp-hash.ts'

export type ReportType = keyof typeof reportTypes

export const reportTypeNames = Object.keys(reportTypes) as [ReportType, ...ReportType[]]

export const reportTypeRows: Readonly<Record<ReportType, ReportTypeRow>> = reportTypes

/** Rule 42. */
const sightingTypes = { 'csp-hash': cspHash } as const satisfies Record<string, ReportTypeRow>

export type StoredType = ReportType | keyof typeof sightingTypes

export const storedTypeRows: Readonly<Record<StoredType, ReportTypeRow>> = { ...reportTypes, ...sightingTypes }

export const storedTypeNames = Object.keys(storedTypeRows) as StoredType[]

export const issueTypeNames = reportTypeNames.filter((name) => reportTypeRows[name].issue) as [
  ReportType,
  ...ReportType[],
]

export const browserChangeTypeNames = reportTypeNames.filter((name) => reportTypeRows[name].browserChange) as [
  ReportType,
  ...ReportType[],
]

export function hasDimension(reportType: StoredType, dimension: DimensionName): boolean {
  return (
    dimensionRows[dimension].everyType === true ||
    storedTypeRows[reportType].dimensions.some((own) => own === dimension)
  )
}

export function dimensionsOf(reportType: StoredType): DimensionName[] {
  return dimensionNames.filter((dimension) => hasDimension(reportType, dimension))
}
