/**
 * @module Ranking of both hosts in half the time: only the largest hashes of the pairs by count, then their groups. A
 * collision can only raise a hash's count.
 */

import { z } from 'zod'
import type { CountSlice } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { join, type Sql, sql, uint, uint64s } from '../sql/sql.ts'
import { groupReports, type Ranking, type ReportGroup, rankingSlices } from './group-reports.ts'

type HashOf = (slice: CountSlice) => Sql

/** Hashing each text hashes each dictionary entry once: a tenth faster than hashing the pair. */
const pairHash: HashOf = ({ column }) =>
  sql`31 * cityHash64(${column('documentHost')}) + cityHash64(${column('blockedHost')})`

const row = z.object({ hash: rowBigSum, reportCount: rowCount })

type HashCount = z.infer<typeof row>

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
    row,
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
