interface Interval {
  /** Time or day as ISO 8601 writes it. */
  readonly from: string
  readonly to: string
}

/** Overlapping intervals as one. @param sorted by their start. */
export function mergeIntervals(sorted: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const { from, to } of sorted) {
    const last = merged.at(-1)
    if (last && from <= last.to) merged.splice(-1, 1, { from: last.from, to: [to, last.to].sort().at(-1) ?? to })
    else merged.push({ from, to })
  }
  return merged
}
