import type { ReportTypeRow } from './report-type.ts'
import { coep } from './report-types/coep.ts'
import { connectionAllowlist } from './report-types/connection-allowlist.ts'
import { coop } from './report-types/coop.ts'
import { crash } from './report-types/crash.ts'
import { cspHash } from './report-types/csp-hash.ts'
import { cspViolation } from './report-types/csp-violation.ts'
import { deprecation } from './report-types/deprecation.ts'
import { documentPolicyViolation } from './report-types/document-policy-violation.ts'
import { integrityViolation } from './report-types/integrity-violation.ts'
import { intervention } from './report-types/intervention.ts'
import { networkError } from './report-types/network-error.ts'
import { permissionsPolicyViolation } from './report-types/permissions-policy-violation.ts'

/** The report types that operations list, count and group (contract, Enumerations), in the contract's order. */
const reportTypes = {
  'csp-violation': cspViolation,
  'integrity-violation': integrityViolation,
  coep,
  coop,
  'permissions-policy-violation': permissionsPolicyViolation,
  'document-policy-violation': documentPolicyViolation,
  'connection-allowlist': connectionAllowlist,
  deprecation,
  intervention,
  'network-error': networkError,
  crash,
} as const satisfies Record<string, ReportTypeRow>

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
