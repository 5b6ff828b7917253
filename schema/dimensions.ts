/** @module Report filters and groupBy dimensions by parameter name (Rules 22, 23 and 25). */

import { deviceTypes, dispositions } from './enumerations.ts'

type Matcher =
  | { readonly kind: 'text'; readonly maxLength: number; readonly lowerCase?: true }
  | { readonly kind: 'enum'; readonly values: readonly [string, ...string[]] }
  | { readonly kind: 'uuid' }

export interface DimensionRow {
  readonly match: Matcher
  /** Otherwise the report types whose file lists it. */
  readonly everyType?: true
  /** Few distinct values: in the cubes, so that any combination needs no raw rows. */
  readonly lowCardinality?: true
  readonly description: string
}

const text = (maxLength: number) => ({ kind: 'text', maxLength }) as const
const host = { ...text(255), lowerCase: true } as const
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  ({ kind: 'enum', values }) as const

const common = { everyType: true, lowCardinality: true } as const

const featureDescription =
  'the policy-controlled feature, API, error type, crash reason, kind of check (coep) or kind of access (coop)'

const dimensions = {
  siteId: { match: { kind: 'uuid' }, everyType: true, description: 'the site' },
  directive: { match: text(64), lowCardinality: true, description: 'the effective CSP directive' },
  blockedHost: { match: host, description: 'the host, keyword or scheme that was blocked' },
  disposition: {
    match: oneOf(dispositions),
    lowCardinality: true,
    description: 'whether the policy was enforced or only reported',
  },
  documentHost: { match: host, everyType: true, description: 'the host of the page' },
  browserName: { match: text(64), ...common, description: 'the browser family' },
  osName: { match: text(64), ...common, description: 'the operating system' },
  deviceType: { match: oneOf(deviceTypes), ...common, description: 'the kind of device' },
  feature: { match: text(128), lowCardinality: true, description: featureDescription },
  blockedUrl: { match: text(512), description: 'the URL that was blocked' },
  blockedOrigin: { match: text(255), description: 'the origin that was blocked' },
  destination: { match: text(64), lowCardinality: true, description: 'the request destination' },
  effectivePolicy: { match: text(128), lowCardinality: true, description: 'the opener policy in effect' },
  otherOrigin: { match: text(255), description: 'the origin on the other side of the opener relation' },
  sourceFile: { match: text(512), description: 'the script, without its query' },
} as const satisfies Record<string, DimensionRow>

export type DimensionName = keyof typeof dimensions

/** In the documented order. */
export const dimensionNames = Object.keys(dimensions) as [DimensionName, ...DimensionName[]]

export const dimensionRows: Readonly<Record<DimensionName, DimensionRow>> = dimensions

/** Dimensions for rankings, the best first; a page begins with the first two that a type has. */
export const rankingDimensions: readonly DimensionName[] = [
  'blockedHost',
  'directive',
  'feature',
  'sourceFile',
  'documentHost',
  'browserName',
]
