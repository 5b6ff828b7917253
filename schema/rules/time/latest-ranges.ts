import type { TimeRange } from './time-range.ts'

/** `from` is the first report of the day, `to` just after the last. */
export interface DayOfReports extends TimeRange {
  readonly reportCount: number
}

/** Ranges of the latest `wanted` reports, and the time before: empty days are not read. @param days latest first. */
export function latestRanges(
  days: readonly DayOfReports[],
  wanted: number,
  upTo = Number.POSITIVE_INFINITY,
): { readonly latest: TimeRange[]; readonly earlier: TimeRange[] } {
  const reached = days.filter(({ from }) => from <= upTo)
  let held = 0
  let taken = 0
  for (const { to, reportCount } of reached) {
    if (held >= wanted) break
    taken += 1
    // An unknown part of the day that contains the moment counts.
    if (to <= upTo) held += reportCount
  }
  const [next, last] = [reached[taken], reached.at(-1)]
  return {
    latest: reached.slice(0, taken).map(({ from, to }) => ({ from, to })),
    earlier: next && last ? [{ from: last.from, to: next.to }] : [],
  }
}
