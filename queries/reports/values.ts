/**
 * @module Values and their counts. Rankings by few values are small statements: a third faster side by side than as one
 * with UNION ALL. A ranking of both hosts reads the largest hashes of the pairs by count, then their groups: half the
 * time, and a collision can only raise a hash's count.
 */

import { z } from 'zod'
import { type DimensionName, dimensionRows } from '../../schema/dimensions.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { byBytes } from '../../schema/rules/by-text.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { type CountSlice, countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { empty, join, type Sql, sql, text, uint, uint64s } from '../sql/sql.ts'
import { groupEachSlice, groupReports, type Ranking, type ReportGroup, rankingSlices } from './group-reports.ts'

const valueRow = z.object({ value: z.string(), reportCount: rowCount, weight: rowBigSum })

export interface ValuesQuery extends ReportFilter {
  readonly tenantId: string
  readonly window: TimeRange
  readonly dimension: DimensionName
  /** Text that a value contains. */
  readonly part: string | undefined
  readonly limit: number
}

/** Largest values first, ties by value: a ranking without its times and its trend. */
export function listValues({
  window,
  dimension,
  part,
  limit,
  ...filter
}: ValuesQuery): Query<z.infer<typeof valueRow>> {
  const slices = countSlices({ ...filter, groupBy: [dimension], windows: [window] })
  const counts = slices.map(({ from, column, measure }) => {
    const value = sql`toString(${column(dimension)})`
    return sql`
      SELECT ${value} AS key, ${measure.reportCount()} AS counted, ${measure.weight} AS weighted
      ${from}${part === undefined ? empty : sql` AND position(${value}, ${text(part)}) > 0`}
      GROUP BY key`
  })
  return {
    name: 'listValues',
    statement: sql`
      SELECT key AS value, sum(counted) AS reportCount, toString(sum(weighted)) AS weight
      FROM (${join(counts, ' UNION ALL ')})
      GROUP BY key
      ORDER BY reportCount DESC, key
      LIMIT ${uint(limit)}`,
    row: valueRow,
    fewRows: slices.every(({ fewRows }) => fewRows),
  }
}

/** Rows of all statements; low-cardinality values are untrusted texts too. */
const maxRows = 1_000

/** Filters included, so that each statement reads few rows: the cubes, and raw rows of less than two hours a window. */
export const hasFewValues = ({ terms, groupBy }: Pick<Ranking, 'terms' | 'groupBy'>) =>
  [...terms.map((term) => term.dimension), ...groupBy].every((dimension) => dimensionRows[dimension].lowCardinality)

/** Queries to run concurrently, for `addGroups`. */
export const rankFewValues = (ranking: Ranking): Query<ReportGroup>[] => groupEachSlice(ranking, maxRows + 1)

/** The ranking as `groupReports` orders it; undefined if a statement may have more groups than its rows. */
export function addGroups(rows: readonly ReportGroup[], limit: number): ReportGroup[] | undefined {
  if (rows.length > maxRows) return undefined
  const groups = new Map<string, ReportGroup>()
  for (const row of rows) {
    const key = JSON.stringify(row.values)
    const group = groups.get(key)
    groups.set(key, group ? add(group, row) : row)
  }
  return [...groups.values()]
    .filter(({ reportCount }) => reportCount > 0)
    .toSorted((a, b) => b.reportCount - a.reportCount || byValues(a.values, b.values))
    .slice(0, limit)
}

function add(a: ReportGroup, b: ReportGroup): ReportGroup {
  const previousCount = a.previousCount + b.previousCount
  // Without reports in the window its times are 1970.
  if (a.reportCount === 0) return { ...b, previousCount }
  if (b.reportCount === 0) return { ...a, previousCount }
  return {
    values: a.values,
    reportCount: a.reportCount + b.reportCount,
    previousCount,
    firstSeen: (a.firstSeen < b.firstSeen ? a : b).firstSeen,
    lastSeen: (a.lastSeen > b.lastSeen ? a : b).lastSeen,
  }
}

const byValues = (a: readonly string[], b: readonly string[]) =>
  a.map((value, index) => byBytes(value, b[index] ?? '')).find((order) => order !== 0) ?? 0

type HashOf = (slice: CountSlice) => Sql

/** Hashing each text hashes each dictionary entry once: a tenth faster than hashing the pair. */
const pairHash: HashOf = ({ column }) =>
  sql`31 * cityHash64(${column('documentHost')}) + cityHash64(${column('blockedHost')})`

const rankByHashRow = z.object({ hash: rowBigSum, reportCount: rowCount })

type HashCount = z.infer<typeof rankByHashRow>

/** With filters other than noise, or other dimensions, the second statement costs as much as the first saves. */
export const isRankedByHash = ({ groupBy, terms, issueKey }: Ranking) =>
  terms.length === 0 && issueKey === undefined && groupBy.includes('documentHost') && groupBy.includes('blockedHost')

/** Twice the limit, so that ties at the limit rarely involve hashes beyond it. */
const hashLimit = ({ limit }: Ranking) => 2 * limit

/** Largest hashes of the window first. */
export function rankHashes(ranking: Ranking, hashOf = pairHash): Query<HashCount> {
  const counts = rankingSlices({ ...ranking, previous: undefined }).map(
    (slice) => sql`
      SELECT ${hashOf(slice)} AS pair, ${slice.measure.reportCount()} AS counted
      ${slice.from}
      GROUP BY pair`,
  )
  return {
    name: 'rankHashes',
    statement: sql`
      SELECT toString(pair) AS hash, sum(counted) AS reportCount
      FROM (${join(counts, ' UNION ALL ')})
      GROUP BY pair
      ORDER BY reportCount DESC
      LIMIT ${uint(hashLimit(ranking))}`,
    row: rankByHashRow,
  }
}

/** The ranking among groups of these hashes. */
export function groupHashes(ranking: Ranking, hashes: readonly HashCount[], hashOf = pairHash): Query<ReportGroup> {
  const among = uint64s(hashes.map(({ hash }) => hash))
  const slices = rankingSlices(ranking).map((slice) => ({
    ...slice,
    from: sql`${slice.from} AND ${hashOf(slice)} IN ${among}`,
  }))
  return groupReports(ranking, slices)
}

/** True if the count at the limit, of hashes or their groups, is above that of any group of another hash. */
export function areLargest(
  counts: readonly Pick<HashCount, 'reportCount'>[],
  hashes: readonly HashCount[],
  ranking: Ranking,
): boolean {
  const [smallest, others] = [counts[ranking.limit - 1], hashes[hashLimit(ranking) - 1]]
  return smallest !== undefined && others !== undefined && smallest.reportCount > others.reportCount
}
