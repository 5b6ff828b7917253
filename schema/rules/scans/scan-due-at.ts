import { dayMs, hourMs } from '../../durations.ts'

interface ScanHistory {
  readonly id: string
  /** Null until the page's first scan. */
  readonly lastScanAt: string | null
  /** Failed scans since the last complete one. */
  readonly failures: number
}

/** Failures in a row after which a page is scanned again in an hour; after more, in a day. */
const hourlyFailures = 3

/**
 * Due time of a page's scan (Rule 78), in milliseconds since the Unix epoch: 0 if it was never scanned. One history has
 * one due time, in every process.
 */
export function scanDueAt({ id, lastScanAt, failures }: ScanHistory, intervalMs: number): number {
  if (lastScanAt === null) return 0
  const afterFailures = failures <= hourlyFailures ? hourMs : dayMs
  const delay = failures === 0 ? intervalMs : Math.min(intervalMs, afterFailures)
  return Date.parse(lastScanAt) + delay - Math.floor((delay / 24) * jitter(id))
}

/** Number from 0 up to 1 by page, so that pages scanned together drift apart. */
const jitter = (id: string) => Number.parseInt(id.slice(-8), 16) / 2 ** 32
