/** @module Queries to run concurrently, and the response built from their rows. */

import { z } from 'zod'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { type ReportType, reportTypeNames } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { addTallies, estimate, isSampled, type Tally } from '../../schema/rules/weights.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

type TypeTally = Tally & { readonly reportType: string }

const row = z.object({ reportType: z.string(), reportCount: rowCount, weight: rowBigSum })

export function countReportTypes(
  tenantId: string,
  window: TimeRange,
  filter: Pick<ReportFilter, 'terms' | 'noise'>,
): Query<TypeTally>[] {
  const slices = countSlices({ tenantId, reportType: undefined, ...filter, groupBy: [], windows: [window] })
  return slices.map(({ from, measure, fewRows }) => ({
    name: 'countReportTypes',
    statement: sql`
      SELECT toString(report_type) AS reportType, ${measure.reportCount()} AS reportCount,
        toString(${measure.weight}) AS weight
      ${from}
      GROUP BY reportType`,
    row,
    fewRows,
  }))
}

/** Rule 35. */
const alwaysListed: ReportType = 'csp-violation'

export function toTypeCounts(tallies: readonly TypeTally[]) {
  return reportTypeNames.flatMap((reportType) => {
    const tally = addTallies(tallies.filter((one) => one.reportType === reportType))
    if (tally.reportCount === 0 && reportType !== alwaysListed) return []
    return [{ reportType, estimatedReportCount: estimate(tally), sampled: isSampled(tally) }]
  })
}
