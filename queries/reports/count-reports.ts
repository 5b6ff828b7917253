import { z } from 'zod'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { Tally } from '../../schema/rules/weights.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

const row = z.object({ reportCount: rowCount, weight: rowBigSum })

/** Queries to run concurrently; their tallies add up. */
export function countReports(tenantId: string, window: TimeRange, filter: ReportFilter): Query<Tally>[] {
  return countSlices({ tenantId, ...filter, groupBy: [], windows: [window] }).map(({ from, measure, fewRows }) => ({
    name: 'countReports',
    statement: sql`SELECT ${measure.reportCount()} AS reportCount, toString(${measure.weight}) AS weight ${from}`,
    row,
    fewRows,
  }))
}
