import { deviceTypes, dispositions } from './enumerations.ts'

/** How a parameter's value is compared with a column. */
type Matcher =
  /** Text where `_` stands for any one character (contract, Conventions 5). */
  | { readonly kind: 'text'; readonly maxLength: number; readonly lowerCase?: true }
  | { readonly kind: 'enum'; readonly values: readonly [string, ...string[]] }
  | { readonly kind: 'uuid' }

/** A property of a report that can filter and group it. */
export interface DimensionRow {
  readonly column: string
  readonly match: Matcher
  /** Every report type has it; otherwise the types that list it in `carries`. */
  readonly everyType?: true
  /** Few distinct values: kept in the cubes, so that any combination of such dimensions is answered without raw rows. */
  readonly lowCardinality?: true
  /** What it is, for the reference. */
  readonly description: string
}

/** The shared report filters and groupBy dimensions (contract, Shared report filters). The name is the parameter's. */
const dimensions = {
  siteId: { column: 'site_id', match: { kind: 'uuid' }, everyType: true, description: 'the site' },
  directive: {
    column: 'directive',
    match: { kind: 'text', maxLength: 64 },
    lowCardinality: true,
    description: 'the effective CSP directive',
  },
  blockedHost: {
    column: 'blocked_host',
    match: { kind: 'text', maxLength: 255, lowerCase: true },
    description: 'the host, keyword or scheme that was blocked',
  },
  disposition: {
    column: 'disposition',
    match: { kind: 'enum', values: dispositions },
    lowCardinality: true,
    description: 'whether the policy was enforced or only reported',
  },
  documentHost: {
    column: 'document_host',
    match: { kind: 'text', maxLength: 255, lowerCase: true },
    everyType: true,
    description: 'the host of the page',
  },
  browserName: {
    column: 'browser_name',
    match: { kind: 'text', maxLength: 64 },
    everyType: true,
    lowCardinality: true,
    description: 'the browser family',
  },
  osName: {
    column: 'os_name',
    match: { kind: 'text', maxLength: 64 },
    everyType: true,
    lowCardinality: true,
    description: 'the operating system',
  },
  deviceType: {
    column: 'device_type',
    match: { kind: 'enum', values: deviceTypes },
    everyType: true,
    lowCardinality: true,
    description: 'the kind of device',
  },
  feature: {
    column: 'feature',
    match: { kind: 'text', maxLength: 128 },
    lowCardinality: true,
    description:
      'the policy-controlled feature, API, error type, crash reason, kind of check (coep) or kind of access (coop)',
  },
  blockedUrl: {
    column: 'blocked_url',
    match: { kind: 'text', maxLength: 512 },
    description: 'the URL that was blocked',
  },
  blockedOrigin: {
    column: 'blocked_origin',
    match: { kind: 'text', maxLength: 255 },
    description: 'the origin that was blocked',
  },
  destination: {
    column: 'destination',
    match: { kind: 'text', maxLength: 64 },
    lowCardinality: true,
    description: 'the request destination',
  },
  effectivePolicy: {
    column: 'effective_policy',
    match: { kind: 'text', maxLength: 128 },
    lowCardinality: true,
    description: 'the opener policy in effect',
  },
  otherOrigin: {
    column: 'other_origin',
    match: { kind: 'text', maxLength: 255 },
    description: 'the origin on the other side of the opener relation',
  },
  sourceFile: {
    column: 'source_file',
    match: { kind: 'text', maxLength: 512 },
    description: 'the script, without its query',
  },
} as const satisfies Record<string, DimensionRow>

export type DimensionName = keyof typeof dimensions

/** The dimensions' names, in the contract's order. */
export const dimensionNames = Object.keys(dimensions) as [DimensionName, ...DimensionName[]]

/** The table by name. */
export const dimensionRows: Readonly<Record<DimensionName, DimensionRow>> = dimensions
