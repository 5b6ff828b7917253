/** @module Report filters and groupBy dimensions by parameter name (Rules 22, 23 and 25). */

import { deviceTypes, dispositions } from './enumerations.ts'

export type Matcher =
  | { readonly kind: 'text'; readonly maxLength: number; readonly lowerCase?: true }
  | { readonly kind: 'enum'; readonly values: readonly [string, ...string[]] }
  | { readonly kind: 'uuid' }

export interface DimensionRow {
  readonly match: Matcher
  /** Otherwise the report types whose file lists it. */
  readonly everyType?: true
  /** Few distinct values: in the cubes, so that any combination needs no raw rows. */
  readonly lowCardinality?: true
  /** Not a field of a report but computed from one in SQL; the contract lacks it. */
  readonly computed?: true
  readonly description: string
  /** A value that browsers send. */
  readonly example: string
}

const text = (maxLength: number) => ({ kind: 'text', maxLength }) as const
const host = { ...text(255), lowerCase: true } as const
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  ({ kind: 'enum', values }) as const

const common = { everyType: true, lowCardinality: true } as const

const featureDescription =
  'the policy-controlled feature, API, error type, crash reason, kind of check (coep) or kind of access (coop)'

const dimensions = {
  siteId: {
    match: { kind: 'uuid' },
    everyType: true,
    description: 'the site',
    example: '0f8b9a52-4d6e-4c3b-9b1a-2f7c5d3e6a10',
  },
  directive: { match: text(64), lowCardinality: true, description: 'the effective CSP directive', example: 'img-src' },
  blockedHost: { match: host, description: 'the host, keyword or scheme that was blocked', example: 'cdn.example.com' },
  disposition: {
    match: oneOf(dispositions),
    lowCardinality: true,
    description: 'whether the policy was enforced or only reported',
    example: 'enforce',
  },
  documentHost: { match: host, everyType: true, description: 'the host of the page', example: 'shop.example.com' },
  browserName: { match: text(64), ...common, description: 'the browser family', example: 'Firefox' },
  osName: { match: text(64), ...common, description: 'the operating system', example: 'Android' },
  deviceType: { match: oneOf(deviceTypes), ...common, description: 'the kind of device', example: 'mobile' },
  feature: { match: text(128), lowCardinality: true, description: featureDescription, example: 'geolocation' },
  blockedUrl: { match: text(512), description: 'the URL that was blocked', example: 'https://cdn.example.com/app.js' },
  blockedOrigin: { match: text(255), description: 'the origin that was blocked', example: 'https://cdn.example.com' },
  destination: { match: text(64), lowCardinality: true, description: 'the request destination', example: 'script' },
  effectivePolicy: {
    match: text(128),
    lowCardinality: true,
    description: 'the opener policy in effect',
    example: 'same-origin',
  },
  otherOrigin: {
    match: text(255),
    description: 'the origin on the other side of the opener relation',
    example: 'https://pay.example.com',
  },
  sourceFile: {
    match: text(512),
    description: 'the script, without its query',
    example: 'https://shop.example.com/app.js',
  },
  page: {
    match: text(512),
    everyType: true,
    computed: true,
    description: 'the page, its URL without query and fragment',
    example: 'https://shop.example.com/checkout',
  },
} as const satisfies Record<string, DimensionRow>

export type DimensionName = keyof typeof dimensions

export type ComputedDimension = {
  [Name in DimensionName]: (typeof dimensions)[Name] extends { readonly computed: true } ? Name : never
}[DimensionName]

/** A field of a report, with a column. */
export type FieldDimension = Exclude<DimensionName, ComputedDimension>

/** Names in the documented order. */
export const dimensionNames = Object.keys(dimensions) as [DimensionName, ...DimensionName[]]

export const dimensionRows: Readonly<Record<DimensionName, DimensionRow>> = dimensions

export const isField = (dimension: DimensionName): dimension is FieldDimension => !dimensionRows[dimension].computed

/** Dimensions of the contract. */
export const fieldDimensions = dimensionNames.filter(isField)

export const computedDimensions = dimensionNames.filter(
  (dimension): dimension is ComputedDimension => !isField(dimension),
)

/** Dimensions for rankings, the best first; a page begins with the first two that a type has. */
export const rankingDimensions: readonly DimensionName[] = [
  'blockedHost',
  'directive',
  'feature',
  'sourceFile',
  'documentHost',
  'browserName',
]
