interface PageHistory {
  /** Milliseconds since the Unix epoch, like all times here. */
  readonly addedAt: number
  /** Scans of the window that count, ascending. */
  readonly countedAt: readonly number[]
}

/**
 * Longest time between scans that count, in milliseconds (Rule 66). It begins with the window, or with the page: its
 * first record or scan. The time since the last scan is not included: `no_recent_scan` counts it.
 */
export function longestScanGap({ addedAt, countedAt }: PageHistory, from: number): number {
  const start = Math.max(from, Math.min(addedAt, countedAt[0] ?? addedAt))
  return Math.max(0, ...countedAt.map((time, index) => time - (countedAt[index - 1] ?? start)))
}
