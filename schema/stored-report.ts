import type { StoredType } from './report-types.ts'

/**
 * UTF-16 units of a policy that are stored: twice the 16 KB the API answers, as the comparable form drops nonces and
 * repeats.
 */
export const longestStoredPolicy = 32_768

/**
 * One report as the importer writes it and the `reports` table holds it. Unknown text is '' and an unknown line,
 * column or status is 0, because the empty value and the missing one mean the same (payloads, Envelope).
 */
export interface StoredReport {
  tenantId: string
  siteId: string
  reportType: StoredType
  /** Milliseconds since the Unix epoch. */
  receivedAt: number
  /** UUIDv7 of receivedAt, so that reports received in the same millisecond order by id as text does. */
  id: string
  /** Milliseconds from the report's making to its receipt, within retention. */
  ageMs: number
  /** The tenant's retention when the report was stored; drives the TTL of the row and of its rollups. */
  retentionDays: number
  /** 1 / sampleRate in millionths: 1,000,000 when nothing was sampled, at most 10^12. */
  weight: number
  /** (0, 1]; exactly 1 when weight is 1,000,000. */
  sampleRate: number
  browserName: string
  browserVersion: string
  osName: string
  deviceType: 'desktop' | 'mobile' | 'tablet' | 'unknown'
  documentUrl: string
  documentHost: string
  disposition: '' | 'enforce' | 'report'
  feature: string
  directive: string
  blockedHost: string
  blockedUrl: string
  blockedOrigin: string
  destination: string
  effectivePolicy: string
  otherOrigin: string
  sourceFile: string
  lineNumber: number
  columnNumber: number
  message: string
  sample: string
  policy: string
  referrer: string
  statusCode: number
  phase: string
  method: string
  protocol: string
  serverIp: string
  elapsedMs: number | null
  requestUrl: string
  /** Milliseconds since the Unix epoch. */
  anticipatedRemoval: number | null
  isTopLevel: boolean | null
  visibilityState: string
  stack: string
  /** What its issue is about and the host of it (decisions, Issues); '' where the type makes no issues. */
  issueSubject: string
  issueHost: string
  /** Caused by an extension, the browser itself or an injecting product (payloads, Noise). */
  noise: boolean
  /** Origin of requestUrl. */
  requestOrigin: string
  /** Identity of the script it names (queries/rules/script-url.ts); '' where it names none. */
  scriptUrl: string
  /** The script's hash, `sha256-<base64>` or another digest's; '' when unhashed. */
  scriptHash: string
  /** The same as the browser wrote it. */
  reportedHash: string
}

/** The stored fields and the column each goes to, in the table's order. */
export const reportColumns = {
  tenantId: 'tenant_id',
  siteId: 'site_id',
  reportType: 'report_type',
  receivedAt: 'received_at',
  id: 'id',
  ageMs: 'age_ms',
  retentionDays: 'retention_days',
  weight: 'weight',
  sampleRate: 'sample_rate',
  browserName: 'browser_name',
  browserVersion: 'browser_version',
  osName: 'os_name',
  deviceType: 'device_type',
  documentUrl: 'document_url',
  documentHost: 'document_host',
  disposition: 'disposition',
  feature: 'feature',
  directive: 'directive',
  blockedHost: 'blocked_host',
  blockedUrl: 'blocked_url',
  blockedOrigin: 'blocked_origin',
  destination: 'destination',
  effectivePolicy: 'effective_policy',
  otherOrigin: 'other_origin',
  sourceFile: 'source_file',
  lineNumber: 'line_number',
  columnNumber: 'column_number',
  message: 'message',
  sample: 'sample',
  policy: 'policy',
  referrer: 'referrer',
  statusCode: 'status_code',
  phase: 'phase',
  method: 'method',
  protocol: 'protocol',
  serverIp: 'server_ip',
  elapsedMs: 'elapsed_ms',
  requestUrl: 'request_url',
  anticipatedRemoval: 'anticipated_removal',
  isTopLevel: 'is_top_level',
  visibilityState: 'visibility_state',
  stack: 'stack',
  issueSubject: 'issue_subject',
  issueHost: 'issue_host',
  noise: 'noise',
  requestOrigin: 'request_origin',
  scriptUrl: 'script_url',
  scriptHash: 'script_hash',
  reportedHash: 'reported_hash',
} as const satisfies Record<keyof StoredReport, string>

/** Weight of a report that stands for itself alone, and the unit weights are counted in. */
export const unitWeight = 1_000_000
