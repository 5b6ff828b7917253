import type { DimensionName } from './dimensions.ts'

/** What one report type carries and takes part in: where code learns what a type is. */
export interface ReportTypeRow {
  /** How reports of this type are grouped into issues; none where they are not (contract, IssueReportType). */
  readonly issue?: IssueRule
  /** Its reports say that a browser changed or will change an API (contract, Browser-change entry). */
  readonly browserChange?: true
  /** Its documentUrl is the page that asked, of whatever site. */
  readonly foreignPage?: true
  /** Dimensions that can filter and group this type, beside those every type has. */
  readonly carries: readonly DimensionName[]
  /** What else a list answers of its reports (payloads, Per type); the rest is null. */
  readonly tells: readonly ReportField[]
}

/** A field of a report that not every type has. */
type ReportField =
  | DimensionName
  | 'lineNumber'
  | 'columnNumber'
  | 'message'
  | 'sample'
  | 'policy'
  | 'referrer'
  | 'statusCode'
  | 'phase'
  | 'method'
  | 'protocol'
  | 'serverIp'
  | 'elapsedMs'
  | 'requestUrl'
  | 'anticipatedRemoval'
  | 'isTopLevel'
  | 'visibilityState'
  | 'stack'

/** What an issue of one type is about: reports with the same subject and host are one issue (decisions, Issues). */
interface IssueRule {
  /** A field of the report, or a word that stands for all of the type. */
  readonly subject: 'directive' | 'destination' | 'effectivePolicy' | 'feature' | { readonly word: string }
  /** The field whose host it is. */
  readonly hostOf: 'blockedUrl' | 'otherOrigin' | 'sourceFile'
}

const position = ['lineNumber', 'columnNumber'] as const

const policyViolation = {
  issue: { subject: 'feature', hostOf: 'sourceFile' },
  carries: ['disposition', 'feature', 'sourceFile'],
  tells: ['message', ...position],
} as const satisfies ReportTypeRow

/** The report types that operations list, count and group (contract, Enumerations), in the contract's order. */
const reportTypes = {
  'csp-violation': {
    issue: { subject: 'directive', hostOf: 'blockedUrl' },
    carries: ['disposition', 'directive', 'blockedHost'],
    tells: ['blockedUrl', 'blockedOrigin', 'sourceFile', ...position, 'sample', 'policy', 'referrer', 'statusCode'],
  },
  'integrity-violation': {
    issue: { subject: 'destination', hostOf: 'blockedUrl' },
    carries: ['disposition', 'blockedUrl', 'blockedOrigin', 'destination'],
    tells: ['blockedHost'],
  },
  coep: {
    issue: { subject: 'destination', hostOf: 'blockedUrl' },
    carries: ['disposition', 'feature', 'blockedOrigin', 'destination'],
    tells: ['blockedHost', 'blockedUrl'],
  },
  coop: {
    issue: { subject: 'effectivePolicy', hostOf: 'otherOrigin' },
    carries: ['disposition', 'feature', 'effectivePolicy', 'otherOrigin'],
    tells: ['sourceFile', ...position, 'referrer'],
  },
  'permissions-policy-violation': policyViolation,
  'document-policy-violation': policyViolation,
  'connection-allowlist': {
    issue: { subject: { word: 'connection' }, hostOf: 'blockedUrl' },
    carries: ['disposition', 'blockedOrigin'],
    tells: ['blockedHost', 'blockedUrl', 'policy'],
  },
  deprecation: {
    browserChange: true,
    carries: ['feature', 'sourceFile'],
    tells: ['message', ...position, 'anticipatedRemoval'],
  },
  intervention: { browserChange: true, carries: ['feature', 'sourceFile'], tells: ['message', ...position] },
  'network-error': {
    foreignPage: true,
    carries: ['feature'],
    tells: ['referrer', 'statusCode', 'phase', 'method', 'protocol', 'serverIp', 'elapsedMs', 'requestUrl'],
  },
  crash: { carries: ['feature'], tells: ['isTopLevel', 'visibilityState', 'stack'] },
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
const sightingTypes = { 'csp-hash': { carries: [], tells: [] } } as const satisfies Record<string, ReportTypeRow>

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
