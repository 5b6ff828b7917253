/** Percent change with one decimal; null when there was nothing before (contract, Grouped row). */
export function trendPercent(now: number, before: number): number | null {
  return before === 0 ? null : Math.round(((now - before) * 1000) / before) / 10
}
