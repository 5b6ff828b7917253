/** @module Counts of reports, types and groups: queries to run concurrently, and the responses built from their rows. */

import { z } from 'zod'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { type ReportType, reportTypeNames } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { addTallies, estimate, isSampled, type Tally } from '../../schema/rules/weights.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { join, name, sql } from '../sql/sql.ts'
import { type Ranking, rankingSlices } from './group-reports.ts'

const reportRow = z.object({ reportCount: rowCount, weight: rowBigSum })

/** Queries to run concurrently; their tallies add up. */
export function countReports(tenantId: string, window: TimeRange, filter: ReportFilter): Query<Tally>[] {
  return countSlices({ tenantId, ...filter, groupBy: [], windows: [window] }).map(({ from, measure, fewRows }) => ({
    name: 'countReports',
    statement: sql`SELECT ${measure.reportCount()} AS reportCount, toString(${measure.weight}) AS weight ${from}`,
    row: reportRow,
    fewRows,
  }))
}

type TypeTally = Tally & { readonly reportType: string }

const reportTypeRow = z.object({ reportType: z.string(), reportCount: rowCount, weight: rowBigSum })

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
    row: reportTypeRow,
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

const groupRow = z.object({ groupCount: rowCount })

/** Number of groups in the window; the ranking returns the largest groups. */
export function countGroups(ranking: Ranking): Query<z.infer<typeof groupRow>> {
  const keyOf = (index: number) => name(`key${index}`)
  const keys = ranking.groupBy.map((_, index) => keyOf(index))
  const groups = rankingSlices({ ...ranking, previous: undefined }).map(({ from, column }) => {
    const values = ranking.groupBy.map((dimension, index) => sql`toString(${column(dimension)}) AS ${keyOf(index)}`)
    return sql`SELECT ${join(values, ', ')} ${from}`
  })
  return {
    name: 'countGroups',
    statement: sql`
      SELECT uniqExact(${join(keys, ', ')}) AS groupCount
      FROM (${join(groups, ' UNION ALL ')})`,
    row: groupRow,
  }
}
