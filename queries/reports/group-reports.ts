import { z } from 'zod'
import type { DimensionName } from '../../schema/dimensions.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { type CountSlice, countSlices } from '../rollups/count-slices.ts'
import { timeBound } from '../rollups/table-slices.ts'
import type { TimeRange } from '../rollups/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { join, name, type Sql, sql, uint } from '../sql/sql.ts'

const row = z.object({
  values: z.array(z.string()),
  reportCount: rowCount,
  previousCount: rowCount,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A group with its count in the window of equal length before; 0 where no such window was asked for. */
type CountedGroup = z.infer<typeof row>

const keyName = (index: number) => name(`key${index}`)

/**
 * The largest groups of a window, ties broken by their values (decisions, Reports).
 * @param previous the window of equal length before, or undefined where retention does not reach it.
 * @param limit 1 to 100 groups.
 */
export function groupReports(
  tenantId: string,
  window: TimeRange,
  previous: TimeRange | undefined,
  filter: ReportFilter,
  groupBy: readonly DimensionName[],
  limit: number,
): Query<CountedGroup> {
  const windows = previous ? [previous, window] : [window]
  const slices = countSlices({ tenantId, ...filter, groupBy, windows })
  const keys = join(
    groupBy.map((_, index) => keyName(index)),
    ', ',
  )
  const groups = join(
    slices.map((slice) => groupsOfSlice(slice, groupBy, window.from)),
    ' UNION ALL ',
  )
  const { measures, where } = slices.length > 1 ? added(keys) : alone
  return {
    name: 'groupReports',
    statement: sql`SELECT [${keys}] AS values, ${measures} FROM (${groups}) ${where} reportCount > 0 ORDER BY reportCount DESC, ${keys} LIMIT ${uint(limit)}`,
    row,
  }
}

/** Merges the slices' groups. */
interface Whole {
  readonly measures: Sql
  /** Precedes the condition on a merged group. */
  readonly where: Sql
}

/** A group can be in several slices. */
const added = (keys: Sql): Whole => ({
  measures: sql`sum(current) AS reportCount, sum(previous) AS previousCount, minIf(first, current > 0) AS firstSeen, maxIf(last, current > 0) AS lastSeen`,
  where: sql`GROUP BY ${keys} HAVING`,
})

/** One slice's groups are complete; grouping hundreds of thousands again would take a fifth more. */
const alone: Whole = {
  measures: sql`current AS reportCount, previous AS previousCount, first AS firstSeen, last AS lastSeen`,
  where: sql`WHERE`,
}

/**
 * One slice's groups. No slice spans the window's start, so a row's time decides which window it counts for.
 * @param start of the window, in milliseconds since the Unix epoch.
 */
function groupsOfSlice(
  { from, time, column, measure }: CountSlice,
  groupBy: readonly DimensionName[],
  start: number,
): Sql {
  const keys = groupBy.map((dimension, index) => sql`toString(${column(dimension)}) AS ${keyName(index)}`)
  const bound = timeBound(time, start)
  const [now, before] = [sql`${name(time)} >= ${bound}`, sql`${name(time)} < ${bound}`]
  return sql`SELECT ${join(keys, ', ')}, ${measure.reportCount(now)} AS current, ${measure.reportCount(before)} AS previous, ${measure.firstSeen(now)} AS first, ${measure.lastSeen(now)} AS last ${from} GROUP BY ${join(
    groupBy.map((_, index) => keyName(index)),
    ', ',
  )}`
}
