import type { DimensionName } from './dimensions.ts'

/** What one report type carries and takes part in: the only place where code learns what a type is. */
export interface ReportTypeRow {
  /** Reports of this type are grouped into issues (contract, IssueReportType). */
  readonly issues: boolean
  /** Dimensions that can filter and group this type, beside those every type has. */
  readonly carries: readonly DimensionName[]
}

/** Every stored report type (contract, Enumerations), in the contract's order. */
export const reportTypes = {
  'csp-violation': { issues: true, carries: ['disposition', 'directive', 'blockedHost'] },
  'integrity-violation': { issues: true, carries: ['disposition', 'blockedUrl', 'blockedOrigin', 'destination'] },
  coep: { issues: true, carries: ['disposition', 'feature', 'blockedOrigin', 'destination'] },
  coop: { issues: true, carries: ['disposition', 'feature', 'effectivePolicy', 'otherOrigin'] },
  'permissions-policy-violation': { issues: true, carries: ['disposition', 'feature', 'sourceFile'] },
  'document-policy-violation': { issues: true, carries: ['disposition', 'feature', 'sourceFile'] },
  'connection-allowlist': { issues: true, carries: ['disposition', 'blockedOrigin'] },
  deprecation: { issues: false, carries: ['feature', 'sourceFile'] },
  intervention: { issues: false, carries: ['feature', 'sourceFile'] },
  'network-error': { issues: false, carries: ['feature'] },
  crash: { issues: false, carries: ['feature'] },
} as const satisfies Record<string, ReportTypeRow>

/** One of the eleven stored report types. */
export type ReportType = keyof typeof reportTypes

/** The names of the report types, in the contract's order. */
export const reportTypeNames = Object.keys(reportTypes) as [ReportType, ...ReportType[]]
