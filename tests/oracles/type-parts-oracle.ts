import type { StoredReport } from '../../schema/stored-report.ts'
import type { OracleWindow } from './oracle-parts.ts'
import type { OracleFilters } from './report-filters.ts'
import { matching, oracleTypes } from './report-oracle.ts'

/** Types with their trend and the counts of 14 equal parts of the window. */
export function oracleTypeParts(
  rows: readonly StoredReport[],
  window: OracleWindow,
  retentionFrom: number,
  filters: OracleFilters,
) {
  const length = window.to - window.from
  const earlier = { from: window.from - length, to: window.from }
  return oracleTypes(rows, window, filters).map((counted) => {
    const found = matching(rows, window, counted.reportType, filters)
    const before = earlier.from >= retentionFrom ? matching(rows, earlier, counted.reportType, filters).length : 0
    const reportCounts = Array.from({ length: 14 }, () => 0)
    for (const { receivedAt } of found) {
      const part = reportCounts.findLastIndex((_, index) => (receivedAt - window.from) * 14 >= index * length)
      reportCounts[part] = (reportCounts[part] ?? 0) + 1
    }
    const permille = Math.round(((found.length - before) * 1000) / before)
    return { ...counted, trendPercent: before === 0 ? null : permille / 10 || 0, reportCounts }
  })
}
