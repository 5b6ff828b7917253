import type { TimeRange } from '../rollups/time-range.ts'

/** The reports of one day: `from` when the first was received, `to` just behind the last. */
export interface DayOfReports extends TimeRange {
  readonly reportCount: number
}

/**
 * Where to look for the latest so many reports up to a moment, so that days without any are not read: the latest days
 * that hold enough of them, and the time before those. No range lies behind the moment; both are empty where no day does.
 * @param days latest first.
 */
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
    // Of a day that the moment divides it is not known how many are left.
    if (to <= upTo) held += reportCount
  }
  const [next, last] = [reached[taken], reached.at(-1)]
  return {
    latest: reached.slice(0, taken).map(({ from, to }) => ({ from, to })),
    earlier: next && last ? [{ from: last.from, to: next.to }] : [],
  }
}
