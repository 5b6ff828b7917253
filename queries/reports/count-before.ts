/**
 * @module Earlier counts of only the groups of a ranking, which take a third of the ranking's time; for all groups they
 * take as much as the ranking.
 */

import { z } from 'zod'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { rawTime } from '../rollups/columns.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { join, sql } from '../sql/sql.ts'
import { keysOf, type Ranking, type ReportGroup, rankingSlices, selectedKeys } from './group-reports.ts'

const row = z.object({ values: z.array(z.string()), previousCount: rowCount })

type EarlierCount = z.infer<typeof row>

/** True for raw rows and rollups by page or its host: with fewer rows a second statement costs as much as it saves. */
export function hasManyRows(ranking: Ranking): boolean {
  const dimensions = [...ranking.terms.map(({ dimension }) => dimension), ...ranking.groupBy]
  const areHosts = dimensions.length > 1 && dimensions.includes('documentHost')
  return areHosts || dimensions.includes('page') || rankingSlices(ranking).every(({ time }) => time === rawTime)
}

/** @param groups at least one. Groups of the same values in other combinations have rows too. */
export function countBefore(
  { previous, ...ranking }: Ranking & { readonly previous: TimeRange },
  groups: readonly ReportGroup[],
): Query<EarlierCount> {
  const among = ranking.groupBy.map((_, index) => [...new Set(groups.map(({ values }) => values[index] ?? ''))])
  const counts = countSlices({ ...ranking, among, windows: [previous] }).map(
    (slice) => sql`
      SELECT ${selectedKeys(slice, ranking)}, ${slice.measure.reportCount()} AS counted
      ${slice.from}
      GROUP BY ${keysOf(ranking)}`,
  )
  return {
    name: 'countBefore',
    statement: sql`
      SELECT [${keysOf(ranking)}] AS values, sum(counted) AS previousCount
      FROM (${join(counts, ' UNION ALL ')})
      GROUP BY ${keysOf(ranking)}`,
    row,
  }
}

export function withEarlierCounts(groups: readonly ReportGroup[], counts: readonly EarlierCount[]): ReportGroup[] {
  const countOf = new Map(counts.map(({ values, previousCount }) => [JSON.stringify(values), previousCount]))
  return groups.map((group) => ({ ...group, previousCount: countOf.get(JSON.stringify(group.values)) ?? 0 }))
}
