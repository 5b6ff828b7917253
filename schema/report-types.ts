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

/** Types that operations list, count and group, in the documented order. */
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
