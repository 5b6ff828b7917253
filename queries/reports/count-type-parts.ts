/** @module Report types with the course of their counts: queries to run concurrently, and the rows of the response. */

import { z } from 'zod'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { trendPercent } from '../../schema/rules/trend-percent.ts'
import type { Tally } from '../../schema/rules/weights.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'
import { toTypeCounts } from './count-reports.ts'

/** Parts of equal length in a window. */
const partCount = 14

/** Part 0 is the window before. */
type PartTally = Tally & { readonly reportType: string; readonly part: number }

const row = z.object({ reportType: z.string(), part: rowCount, reportCount: rowCount, weight: rowBigSum })

interface PartsQuery {
  readonly tenantId: string
  readonly window: TimeRange
  /** undefined if retention does not reach it. */
  readonly previous: TimeRange | undefined
  readonly filter: Pick<ReportFilter, 'terms' | 'noise'>
}

export function countTypeParts({ tenantId, window, previous, filter }: PartsQuery): Query<PartTally>[] {
  const { from, to } = window
  const windows = [...(previous ? [previous] : []), ...partsOf(window)]
  const slices = countSlices({ tenantId, reportType: undefined, ...filter, groupBy: [], windows })
  return slices.map(({ from: fromTable, time, measure, fewRows }) => ({
    name: 'countTypeParts',
    statement: sql`
      SELECT toString(report_type) AS reportType,
        if(
          ${time.column} < ${time.bound(from)},
          0,
          1 + intDiv((${time.milliseconds} - ${uint(from)}) * ${uint(partCount)}, ${uint(to - from)})
        ) AS part,
        ${measure.reportCount()} AS reportCount, toString(${measure.weight}) AS weight
      ${fromTable}
      GROUP BY reportType, part`,
    row,
    fewRows,
  }))
}

/** A part starts at the first millisecond to which the statement's division assigns its number. */
function partsOf(window: TimeRange): TimeRange[] {
  const { from, to } = window
  const start = (part: number) => from + Math.ceil((part * (to - from)) / partCount)
  return Array.from({ length: partCount }, (_, part) => ({ ...window, from: start(part), to: start(part + 1) }))
}

export function toTypeTrends(rows: readonly PartTally[]) {
  return toTypeCounts(rows.filter(({ part }) => part > 0)).map((counted) => {
    const ofType = rows.filter(({ reportType }) => reportType === counted.reportType)
    const [before = 0, ...reportCounts] = Array.from({ length: partCount + 1 }, (_, index) =>
      ofType.reduce((sum, { part, reportCount }) => (part === index ? sum + reportCount : sum), 0),
    )
    const now = reportCounts.reduce((sum, count) => sum + count, 0)
    return { ...counted, trendPercent: trendPercent(now, before), reportCounts }
  })
}
