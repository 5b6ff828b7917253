import { z } from 'zod'
import type { DimensionName } from '../../schema/dimensions.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { type CountSlice, countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { join, name, sql, uint } from '../sql/sql.ts'

/** `previousCount` is 0 without a previous window. */
const row = z.object({
  values: z.array(z.string()),
  reportCount: rowCount,
  previousCount: rowCount,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

export type ReportGroup = z.infer<typeof row>

export interface Ranking extends ReportFilter {
  readonly tenantId: string
  readonly window: TimeRange
  /** undefined if retention does not reach it. */
  readonly previous: TimeRange | undefined
  readonly groupBy: readonly DimensionName[]
  readonly limit: number
}

export const rankingSlices = ({ previous, ...ranking }: Ranking): CountSlice[] =>
  countSlices({ ...ranking, windows: previous ? [previous, ranking.window] : [ranking.window] })

/** Largest groups first, ties by value (Rule 25). */
export function groupReports(ranking: Ranking, slices = rankingSlices(ranking)): Query<ReportGroup> {
  const keys = keysOf(ranking)
  const groups = join(
    slices.map((slice) => groupsOfSlice(slice, ranking)),
    ' UNION ALL ',
  )
  // Grouping one slice's hundreds of thousands of groups again would take a fifth longer.
  const counts =
    slices.length > 1
      ? sql`sum(current) AS reportCount, sum(previous) AS previousCount, minIf(first, current > 0) AS firstSeen,
        maxIf(last, current > 0) AS lastSeen`
      : countsOfSlice
  return {
    name: 'groupReports',
    statement: sql`
      SELECT [${keys}] AS values, ${counts}
      FROM (${groups})
      ${slices.length > 1 ? sql`GROUP BY ${keys} HAVING` : sql`WHERE`} reportCount > 0
      ORDER BY reportCount DESC, ${keys}
      LIMIT ${uint(ranking.limit)}`,
    row,
  }
}

/** Queries to run concurrently: the groups of each slice in any order, up to `limit`, those of the previous window too. */
export function groupEachSlice(ranking: Ranking, limit: number): Query<ReportGroup>[] {
  return rankingSlices(ranking).map((slice) => ({
    name: 'groupEachSlice',
    statement: sql`
      SELECT [${keysOf(ranking)}] AS values, ${countsOfSlice}
      FROM (${groupsOfSlice(slice, ranking)})
      LIMIT ${uint(limit)}`,
    row,
    fewRows: true,
  }))
}

const keyName = (index: number) => name(`key${index}`)

type Grouping = Pick<Ranking, 'groupBy'>

export const keysOf = ({ groupBy }: Grouping) =>
  join(
    groupBy.map((_, index) => keyName(index)),
    ', ',
  )

const countsOfSlice = sql`current AS reportCount, previous AS previousCount, first AS firstSeen, last AS lastSeen`

/** Texts of the keys, by their names. */
export const selectedKeys = ({ column }: CountSlice, { groupBy }: Grouping) =>
  join(
    groupBy.map((dimension, index) => sql`toString(${column(dimension)}) AS ${keyName(index)}`),
    ', ',
  )

/** No slice spans the window's start, so a row's time decides which window it counts for. */
function groupsOfSlice(slice: CountSlice, ranking: Ranking) {
  const { from, time, measure } = slice
  const start = time.bound(ranking.window.from)
  const [now, before] = ranking.previous ? [sql`${time.column} >= ${start}`, sql`${time.column} < ${start}`] : []
  return sql`
    SELECT ${selectedKeys(slice, ranking)}, ${measure.reportCount(now)} AS current,
      ${before ? measure.reportCount(before) : sql`0`} AS previous,
      ${measure.firstSeen(now)} AS first, ${measure.lastSeen(now)} AS last
    ${from}
    GROUP BY ${keysOf(ranking)}`
}
