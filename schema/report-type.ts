import type { DimensionName } from './dimensions.ts'

/** The facts that one report type consists of, as data that the API, the importer and the fixtures interpret. */

/** One report type: its filters, its issue rule, and how a body becomes fields. */
export interface ReportTypeRow {
  /** How reports of this type are grouped into issues; none where they are not (contract, IssueReportType). */
  readonly issue?: IssueRule
  /** Its reports say that a browser changed or will change an API (contract, Browser-change entry). */
  readonly browserChange?: true
  /** Its documentUrl is the page that made the request, of any site. */
  readonly foreignPage?: true
  /** Dimensions that can filter and group this type, beside those every type has. */
  readonly dimensions: readonly DimensionName[]
  /** Further fields in a list of its reports (payloads, Per type); the rest is null. */
  readonly extraFields: readonly ReportField[]
  /** Sources of its fields in a report's body (payloads, Per type and Normalising). */
  readonly body: BodyMapping
  /** Conditions of storing a report; one that misses them is only counted. */
  readonly stores?: StoreRule
  /** The browser's own sampling, which then replaces the collector's. */
  readonly sampleRate?: Source<'fraction'>
  /** The blocked URL can be a host without a scheme. */
  readonly blocksHosts?: true
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

/** The subject and host of an issue of one type: reports with the same two are one issue (decisions, Issues). */
interface IssueRule {
  /** A field of the report, or a word for all of the type. */
  readonly subject: 'directive' | 'destination' | 'effectivePolicy' | 'feature' | { readonly word: string }
  /** The field whose host it is. */
  readonly hostOf: 'blockedUrl' | 'otherOrigin' | 'sourceFile'
}

interface StoreRule {
  /** Values of a member, '' where it is missing, of reports that are stored. */
  readonly only?: { readonly member: string; readonly values: readonly string[] }
  /** Values of a member of reports that are not stored. */
  readonly never?: { readonly member: string; readonly values: readonly string[] }
  /** A source that must not be empty. */
  readonly needs?: Source<'scriptUrl'>
}

/** A field extractor (app/import/field-extractors.ts) and the body's members, in camelCase, that it takes the first of. */
type Source<Extractor extends string> = readonly [Extractor, ...members: string[]]

type TextSource = Source<
  | 'text'
  | 'firstWord'
  | 'joined'
  | 'withoutFragment'
  | 'withoutQuery'
  | 'origin'
  | 'access'
  | 'envelopeUrl'
  | 'documentUrl'
  | 'scriptUrl'
  | 'blockedScript'
  | 'scriptHash'
>

type TextFields =
  | 'documentUrl'
  | 'feature'
  | 'directive'
  | 'blockedUrl'
  | 'destination'
  | 'effectivePolicy'
  | 'otherOrigin'
  | 'sourceFile'
  | 'message'
  | 'sample'
  | 'policy'
  | 'referrer'
  | 'phase'
  | 'method'
  | 'protocol'
  | 'serverIp'
  | 'requestUrl'
  | 'visibilityState'
  | 'stack'
  | 'scriptUrl'
  | 'scriptHash'
  | 'reportedHash'

/** Fields that a body can fill; the others come with its POST, or are derived from these. */
export type BodyMapping = { readonly [Field in TextFields]?: TextSource } & {
  readonly disposition?: Source<'disposition' | 'reportOnly'>
  readonly lineNumber?: Source<'position'>
  readonly columnNumber?: Source<'position'>
  readonly statusCode?: Source<'status'>
  readonly elapsedMs?: Source<'duration'>
  readonly anticipatedRemoval?: Source<'moment'>
  readonly isTopLevel?: Source<'flag'>
}

/** Where each extractor can appear. */
export type FieldSource = NonNullable<BodyMapping[keyof BodyMapping] | ReportTypeRow['sampleRate']>

/** Place in a script, as most types have it. */
export const sourcePosition = {
  sourceFile: ['withoutQuery', 'sourceFile'],
  lineNumber: ['position', 'lineNumber'],
  columnNumber: ['position', 'columnNumber'],
} as const satisfies BodyMapping
