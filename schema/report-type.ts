/** @module Facts of a report type, which API, importer and fixtures interpret; no code branches on a type's name. */

import type { FieldDimension } from './dimensions.ts'

export interface ReportTypeRow {
  /** Rule 44. */
  readonly issue?: IssueRule
  /** Rule 48. */
  readonly browserChange?: true
  /** The page can belong to any site. */
  readonly foreignPage?: true
  /** Beside those of every type. */
  readonly dimensions: readonly FieldDimension[]
  /** Listed but not a filter; all other fields are null (Rule 36). */
  readonly extraFields: readonly ReportField[]
  /** Rules 37 to 40. */
  readonly body: BodyMapping
  /** A report without them is only counted. */
  readonly stores?: StoreRule
  /** The browser's own sampling, which then replaces the collector's. */
  readonly sampleRate?: Source<'fraction'>
  /** The blocked URL can be a host without a scheme. */
  readonly blocksHosts?: true
}

type ReportField = FieldDimension | Exclude<OwnText, 'context'> | keyof OtherSources

interface IssueRule {
  /** A field, or one word for the whole type. */
  readonly subject: 'directive' | 'destination' | 'effectivePolicy' | 'feature' | { readonly word: string }
  readonly hostOf: 'blockedUrl' | 'otherOrigin' | 'sourceFile'
}

interface StoreRule {
  /** Only reports with these values, '' for a missing member. */
  readonly only?: { readonly member: string; readonly values: readonly string[] }
  /** Reports with these values are never stored. */
  readonly never?: { readonly member: string; readonly values: readonly string[] }
  /** A source that must not be empty. */
  readonly requires?: Source<'scriptUrl'>
}

/** A field extractor of the import, and its body members; it reads the first that is present. */
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
  | 'scriptRequestUrl'
  | 'blockedScript'
  | 'pairs'
  | 'scriptHash'
>

type OwnText =
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
  | 'context'

/** Dimensions of the page, the browser or the site, and dimensions derived from another field. */
type DerivedDimension =
  | 'siteId'
  | 'documentHost'
  | 'browserName'
  | 'osName'
  | 'deviceType'
  | 'blockedHost'
  | 'blockedOrigin'

type TextField =
  | OwnText
  | Exclude<FieldDimension, 'disposition' | DerivedDimension>
  | 'documentUrl'
  | 'scriptUrl'
  | 'scriptHash'
  | 'reportedHash'

type OtherSources = {
  readonly lineNumber?: Source<'position'>
  readonly columnNumber?: Source<'position'>
  readonly statusCode?: Source<'status'>
  readonly elapsedMs?: Source<'duration'>
  readonly anticipatedRemoval?: Source<'moment'>
  readonly isTopLevel?: Source<'flag'>
}

/** Other fields come from the POST or are derived from these. */
export type BodyMapping = { readonly [Field in TextField]?: TextSource } & OtherSources & {
    readonly disposition?: Source<'disposition' | 'reportOnly'>
  }

export type FieldSource = NonNullable<BodyMapping[keyof BodyMapping] | ReportTypeRow['sampleRate']>

export const sourcePosition = {
  sourceFile: ['withoutQuery', 'sourceFile'],
  lineNumber: ['position', 'lineNumber'],
  columnNumber: ['position', 'columnNumber'],
} as const satisfies BodyMapping
