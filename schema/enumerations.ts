import { dayMs, hourMs, minuteMs } from './durations.ts'

/** The contract's enumerations that more than one file needs. All are open to clients (contract, Enumerations). */

export const dispositions = ['enforce', 'report'] as const

export const deviceTypes = ['desktop', 'mobile', 'tablet', 'unknown'] as const

/** How far a request got before it failed. */
export const networkErrorPhases = ['dns', 'connection', 'application'] as const

export const scanStatuses = ['complete', 'failed'] as const

/** Grades of a page's headers, the best first. */
export const scanGrades = ['A+', 'A', 'B', 'C', 'D', 'F'] as const

export type ScanGrade = (typeof scanGrades)[number]

/** The response headers a scan watches, lower case, in the order they are told in. */
export const watchedHeaders = [
  'content-security-policy',
  'content-security-policy-report-only',
  'strict-transport-security',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
] as const

export type WatchedHeader = (typeof watchedHeaders)[number]

export const headerChanges = ['added', 'removed', 'changed'] as const

/** Why a scan can fail; new reasons may appear, and none is refused for being new. */
export const scanFailureReasons = [
  'bot_challenge',
  'access_denied',
  'server_error',
  'timeout',
  'tls_failure',
  'connection_failed',
  'too_many_redirects',
  'not_html',
  'not_allowed',
] as const

/** What became of a page's script when a scan fetched it; the first two were fetched. */
export const fetchOutcomes = ['hashed', 'failed', 'refused', 'skipped'] as const

/** Whether a page of another origin may read a script's bytes, and so have their integrity checked. */
export const corsVerdicts = ['readable', 'credentialed', 'not_readable'] as const

/** Histogram bucket widths, narrowest first, in milliseconds. */
export const bucketSizes = {
  '1m': minuteMs,
  '5m': 5 * minuteMs,
  '15m': 15 * minuteMs,
  '1h': hourMs,
  '1d': dayMs,
} as const

export type BucketSize = keyof typeof bucketSizes

export const bucketSizeNames = Object.keys(bucketSizes) as [BucketSize, ...BucketSize[]]

/** How sure it is that an issue is the site's own, surest first. */
export const issueConfidences = ['high', 'medium', 'low', 'suppressed'] as const

export type IssueConfidence = (typeof issueConfidences)[number]
