/** Percent change with one decimal (Rule 34). */
export function trendPercent(now: number, before: number): number | null {
  return before === 0 ? null : Math.round(((now - before) * 1000) / before) / 10
}
