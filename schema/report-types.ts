import type { ReportTypeRow } from './report-type.ts'
import { reportTypes } from './report-types/all.ts'
import { cspHash } from './report-types/csp-hash.ts'

/** One of the report types that operations list, count and group. */
export type ReportType = keyof typeof reportTypes

/** The names of the report types, in the contract's order. */
export const reportTypeNames = Object.keys(reportTypes) as [ReportType, ...ReportType[]]

/** The table by name. */
export const reportTypeRows: Readonly<Record<ReportType, ReportTypeRow>> = reportTypes

/**
 * Types that are stored beside them and only tell what scripts a site loads (payloads, csp-hash): no operation lists,
 * counts or groups them.
 */
const sightingTypes = { 'csp-hash': cspHash } as const satisfies Record<string, ReportTypeRow>

/** A type that the importer stores. */
export type StoredType = ReportType | keyof typeof sightingTypes

/** Every stored type, by name. */
export const storedTypeRows: Readonly<Record<StoredType, ReportTypeRow>> = { ...reportTypes, ...sightingTypes }

/** The names of the stored types. */
export const storedTypeNames = Object.keys(storedTypeRows) as StoredType[]

/** The types whose reports are grouped into issues (contract, IssueReportType). */
export const issueTypeNames = reportTypeNames.filter((name) => reportTypeRows[name].issue) as [
  ReportType,
  ...ReportType[],
]

/** The types whose reports are listed as browser changes. */
export const browserChangeTypeNames = reportTypeNames.filter((name) => reportTypeRows[name].browserChange) as [
  ReportType,
  ...ReportType[],
]
