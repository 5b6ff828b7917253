/** @module Enumerations that more than one file uses; all are open to clients (Rule 11). */

import { dayMs, hourMs, minuteMs } from './durations.ts'

export const dispositions = ['enforce', 'report'] as const

export const deviceTypes = ['desktop', 'mobile', 'tablet', 'unknown'] as const

export const networkErrorPhases = ['dns', 'connection', 'application'] as const

/** Modes of storing URLs that can hold a visitor's secret (Rule 79). */
export const urlModes = ['names', 'paths', 'whole'] as const

export type UrlMode = (typeof urlModes)[number]

export const scanStatuses = ['complete', 'failed'] as const

/** Best first. */
export const scanGrades = ['A+', 'A', 'B', 'C', 'D', 'F'] as const

export type ScanGrade = (typeof scanGrades)[number]

/** Headers in the order of scan changes. */
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

/** Watched too, in `result.moreHeaders` of a scan; the last is the policies in `<meta>`. */
export const moreHeaders = ['integrity-policy', 'reporting-endpoints', 'content-security-policy-meta'] as const

export const comparedHeaders = [...watchedHeaders, ...moreHeaders] as const

export type ComparedHeader = (typeof comparedHeaders)[number]

export const headerChanges = ['added', 'removed', 'changed'] as const

/** Known ones; imports accept new ones. */
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
  'too_large',
] as const

/** The first two were fetched. */
export const fetchOutcomes = ['hashed', 'failed', 'refused', 'skipped'] as const

/** Integrity is checked only of bytes that a page of another origin may read. */
export const corsVerdicts = ['readable', 'credentialed', 'not_readable'] as const

/** Sizes in milliseconds, narrowest first. */
export const bucketSizes = {
  '1m': minuteMs,
  '5m': 5 * minuteMs,
  '15m': 15 * minuteMs,
  '1h': hourMs,
  '1d': dayMs,
} as const

export type BucketSize = keyof typeof bucketSizes

export const bucketSizeNames = Object.keys(bucketSizes) as [BucketSize, ...BucketSize[]]

/** Surest first (Rule 45). */
export const issueConfidences = ['high', 'medium', 'low', 'suppressed'] as const

export type IssueConfidence = (typeof issueConfidences)[number]
