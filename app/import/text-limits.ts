import { longestStoredPolicy, type StoredReport } from '../../schema/stored-report.ts'

/** The fields of a stored report that hold text a browser wrote, or that was derived from it. */
export type TextField = Exclude<
  { [Field in keyof StoredReport]: StoredReport[Field] extends string ? Field : never }[keyof StoredReport],
  'tenantId' | 'siteId' | 'id' | 'reportType' | 'deviceType' | 'disposition'
>

/** Longer than any URL a browser sends in a report. */
const url = 8_192
/** A DNS name of 253 with its scheme and port. */
const host = 300

/**
 * The most UTF-16 units a text field keeps; what is longer is cut. Reports are untrusted, so every field has a bound,
 * and no bound is below that of the filter that matches the field (schema/dimensions.ts).
 */
export const textLimits: Readonly<Record<TextField, number>> = {
  browserName: 64,
  browserVersion: 64,
  osName: 64,
  documentUrl: url,
  documentHost: host,
  feature: 256,
  directive: 128,
  blockedHost: host,
  blockedUrl: url,
  blockedOrigin: host,
  destination: 64,
  effectivePolicy: 128,
  otherOrigin: host,
  sourceFile: url,
  message: 4_096,
  sample: 1_024,
  policy: longestStoredPolicy,
  referrer: url,
  phase: 64,
  method: 64,
  protocol: 64,
  serverIp: 64,
  requestUrl: url,
  visibilityState: 64,
  stack: 16_384,
  issueSubject: 256,
  issueHost: host,
  requestOrigin: host,
  scriptUrl: url,
  scriptHash: 96,
  reportedHash: 160,
}

// ES2024, in every Node since 20; the ES2023 library does not declare it.
const { toWellFormed } = String.prototype as unknown as { toWellFormed(this: string): string }

/** The start of a text, at most `limit` UTF-16 units, with every lone surrogate replaced and none made by the cut. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return toWellFormed.call(text)
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return toWellFormed.call(text.slice(0, splitsPair ? limit - 1 : limit))
}
