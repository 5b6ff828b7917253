/** @module Columns of the table `reports`; each kind has the value that means unknown. */

import { deviceTypes, dispositions } from './enumerations.ts'
import { storedTypeNames } from './report-types.ts'

const emptyValues = {
  uuid: '',
  /** Repeats from report to report. */
  word: '',
  text: '',
  bool: false,
  /** Milliseconds since the Unix epoch. */
  time: 0,
  uint16: 0,
  uint32: 0,
  /** Up to 2^53. */
  uint64: 0,
  float64: 0,
}

export type KindValues = typeof emptyValues

interface Field {
  readonly column: string
  readonly kind: keyof KindValues
  /** Unknown is null, because the empty value is a known one. */
  readonly nullable?: true
  readonly values?: readonly string[]
  /** Limit in UTF-16 units, at least that of the field's filter; longer text is truncated. */
  readonly limit?: number
}

/** Untrusted text always has a limit or a list of values. */
type FieldRow = Field &
  (
    | { readonly kind: Exclude<keyof KindValues, 'word' | 'text'> }
    | { readonly values: readonly string[] }
    | { readonly limit: number }
  )

/** Longer than any URL a browser sends in a report. */
const urlLimit = 8_192
/** A DNS name of 253 with its scheme and port. */
const hostLimit = 300

/** UTF-16 units: twice Rule 52's 16 KB, because the comparable form drops nonces and repeats. */
export const maxStoredPolicyLength = 32_768

/** Fields in the table's order. */
const storedFields = {
  tenantId: { column: 'tenant_id', kind: 'uuid' },
  siteId: { column: 'site_id', kind: 'uuid' },
  reportType: { column: 'report_type', kind: 'word', values: storedTypeNames },
  /** Milliseconds since the Unix epoch. */
  receivedAt: { column: 'received_at', kind: 'time' },
  /** UUIDv7 of receivedAt: ids of one millisecond order as text. */
  id: { column: 'id', kind: 'uuid' },
  /** Time from the report's creation to its receipt, within retention. */
  ageMs: { column: 'age_ms', kind: 'uint32' },
  /** Retention at the time of storing: determines the TTL of the row and of its rollups. */
  retentionDays: { column: 'retention_days', kind: 'uint16' },
  /** 1 / sampleRate in millionths: 1,000,000 without sampling, at most 10^12. */
  weight: { column: 'weight', kind: 'uint64' },
  /** (0, 1]; exactly 1 when weight is 1,000,000. */
  sampleRate: { column: 'sample_rate', kind: 'float64' },
  browserName: { column: 'browser_name', kind: 'word', limit: 64 },
  browserVersion: { column: 'browser_version', kind: 'word', limit: 64 },
  osName: { column: 'os_name', kind: 'word', limit: 64 },
  deviceType: { column: 'device_type', kind: 'word', values: deviceTypes },
  documentUrl: { column: 'document_url', kind: 'text', limit: urlLimit },
  documentHost: { column: 'document_host', kind: 'word', limit: hostLimit },
  disposition: { column: 'disposition', kind: 'word', values: ['', ...dispositions] },
  feature: { column: 'feature', kind: 'word', limit: 256 },
  directive: { column: 'directive', kind: 'word', limit: 128 },
  blockedHost: { column: 'blocked_host', kind: 'word', limit: hostLimit },
  blockedUrl: { column: 'blocked_url', kind: 'text', limit: urlLimit },
  blockedOrigin: { column: 'blocked_origin', kind: 'word', limit: hostLimit },
  destination: { column: 'destination', kind: 'word', limit: 64 },
  effectivePolicy: { column: 'effective_policy', kind: 'word', limit: 128 },
  otherOrigin: { column: 'other_origin', kind: 'word', limit: hostLimit },
  sourceFile: { column: 'source_file', kind: 'text', limit: urlLimit },
  lineNumber: { column: 'line_number', kind: 'uint32' },
  columnNumber: { column: 'column_number', kind: 'uint32' },
  message: { column: 'message', kind: 'text', limit: 4_096 },
  sample: { column: 'sample', kind: 'text', limit: 1_024 },
  policy: { column: 'policy', kind: 'text', limit: maxStoredPolicyLength },
  referrer: { column: 'referrer', kind: 'text', limit: urlLimit },
  statusCode: { column: 'status_code', kind: 'uint16' },
  phase: { column: 'phase', kind: 'word', limit: 64 },
  method: { column: 'method', kind: 'word', limit: 64 },
  protocol: { column: 'protocol', kind: 'word', limit: 64 },
  serverIp: { column: 'server_ip', kind: 'word', limit: 64 },
  elapsedMs: { column: 'elapsed_ms', kind: 'uint32', nullable: true },
  requestUrl: { column: 'request_url', kind: 'text', limit: urlLimit },
  /** Milliseconds since the Unix epoch. */
  anticipatedRemoval: { column: 'anticipated_removal_at', kind: 'time', nullable: true },
  isTopLevel: { column: 'is_top_level', kind: 'bool', nullable: true },
  visibilityState: { column: 'visibility_state', kind: 'word', limit: 64 },
  stack: { column: 'stack', kind: 'text', limit: 16_384 },
  /** Rule 36: JSON of the pairs that the page set for a crash report. */
  context: { column: 'context', kind: 'text', limit: 16_384 },
  /** Rule 36: JSON of members that no other field has. */
  rest: { column: 'rest', kind: 'text', limit: 2_048 },
  /** Rule 44; '' for types without issues. */
  issueSubject: { column: 'issue_subject', kind: 'word', limit: 256 },
  issueHost: { column: 'issue_host', kind: 'word', limit: hostLimit },
  /** Rule 41. */
  noise: { column: 'noise', kind: 'bool' },
  requestOrigin: { column: 'request_origin', kind: 'word', limit: hostLimit },
  /** Rule 53; '' without a script. */
  scriptUrl: { column: 'script_url', kind: 'text', limit: urlLimit },
  /** Normalised; '' when unhashed. */
  scriptHash: { column: 'script_hash', kind: 'text', limit: 96 },
  /** Hash as sent by the browser. */
  reportedHash: { column: 'reported_hash', kind: 'text', limit: 160 },
} as const satisfies Record<string, FieldRow>

type ValueOf<Row extends FieldRow> =
  | (Row extends { readonly values: readonly (infer Value)[] } ? Value : KindValues[Row['kind']])
  | (Row extends { readonly nullable: true } ? null : never)

export type StoredReport = { -readonly [Name in keyof typeof storedFields]: ValueOf<(typeof storedFields)[Name]> }

type StoredField = keyof StoredReport

export const storedFieldNames = Object.keys(storedFields) as StoredField[]

export const storedFieldRows: Readonly<Record<StoredField, FieldRow>> = storedFields

export function emptyValueOf({ kind, nullable }: FieldRow): KindValues[keyof KindValues] | null {
  return nullable ? null : emptyValues[kind]
}

/** Only type and device type are never empty. */
export const emptyFields = Object.fromEntries(
  storedFieldNames.map((name) => [name, emptyValueOf(storedFieldRows[name])]),
) as Readonly<Omit<StoredReport, 'reportType' | 'deviceType'>>

type TextField = {
  [Name in StoredField]: (typeof storedFields)[Name] extends { readonly limit: number } ? Name : never
}[StoredField]

export const textLimits = Object.fromEntries(
  storedFieldNames.flatMap((name) => {
    const { limit } = storedFieldRows[name]
    return limit === undefined ? [] : [[name, limit]]
  }),
) as Readonly<Record<TextField, number>>

/** Weight of an unsampled report (Rule 30). */
export const unitWeight = 1_000_000
