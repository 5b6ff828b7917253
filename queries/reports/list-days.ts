/** @module Days with reports of rare values, by rollups: a list of such reports skips the other days. */

import { z } from 'zod'
import { dimensionRows } from '../../schema/dimensions.ts'
import { dayMs } from '../../schema/durations.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { DayOfReports } from '../../schema/rules/time/latest-ranges.ts'
import { splitByGrain, type TimeRange } from '../../schema/rules/time/time-range.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

const row = z.object({ day: rowCount, reportCount: rowCount })

type CountedDay = z.infer<typeof row>

/** Sites and values of dimensions with few are among the latest reports. */
const isRare = ({ terms, issueKey }: ReportFilter) =>
  issueKey !== undefined ||
  terms.some(
    ({ dimension, operator }) =>
      operator === 'any' && dimension !== 'siteId' && !dimensionRows[dimension].lowCardinality,
  )

/** Whole UTC days of the window; undefined if a rollup of days does not count these reports, or they are not rare. */
export function listDays(tenantId: string, window: TimeRange, filter: ReportFilter): Query<CountedDay> | undefined {
  const [days] = splitByGrain([window], [dayMs])
  if (!days || window.expired || !isRare(filter)) return undefined
  const slices = countSlices({ tenantId, ...filter, groupBy: [], windows: days.ranges, bucket: dayMs })
  const [slice, ...others] = slices
  if (!slice || slice.isRaw || others.length > 0) return undefined
  const { from, time, measure, fewRows } = slice
  return {
    name: 'listDays',
    statement: sql`SELECT ${time.slot(dayMs)} AS day, ${measure.reportCount()} AS reportCount ${from} GROUP BY day`,
    row,
    fewRows,
  }
}

/** The days with reports, latest first, between the ends of the window, whose reports are not counted. */
export function toDays(counted: readonly CountedDay[], window: TimeRange): DayOfReports[] {
  const [first, end] = [Math.ceil(window.from / dayMs) * dayMs, Math.floor(window.to / dayMs) * dayMs]
  const days = counted.map(({ day, reportCount }) => ({ from: day * dayMs, to: (day + 1) * dayMs, reportCount }))
  const ends = [
    { from: window.from, to: first, reportCount: 0 },
    { from: end, to: window.to, reportCount: 0 },
  ]
  return [...days, ...ends].filter(({ from, to }) => from < to).toSorted((a, b) => b.from - a.from)
}
