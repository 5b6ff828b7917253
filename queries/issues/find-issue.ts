import { z } from 'zod'
import type { DayOfReports } from '../../schema/rules/time/latest-ranges.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { slicesWhere } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { join, sql, uint64 } from '../sql/sql.ts'
import { type IssueFilter, issueGroups } from './issue-groups.ts'

const row = z
  .object({ firstSeen: rowTime, lastSeen: rowTime, reportCount: rowCount })
  .transform(({ firstSeen, lastSeen, reportCount }) => ({
    from: Date.parse(firstSeen),
    to: Date.parse(lastSeen) + 1,
    reportCount,
  }))

/** Days of the window with reports of the issue, the latest first. */
export function findIssue(filter: IssueFilter, issueKey: bigint): Query<DayOfReports> {
  const isIssue = sql`issue_key = ${uint64(issueKey)}`
  const days = slicesWhere(keyedSlices(issueGroups(filter)), () => isIssue).map(
    ({ from, isRaw, firstSeen, lastSeen, reportCount }) => sql`
      SELECT ${firstSeen} AS firstSeen, ${lastSeen} AS lastSeen, ${reportCount} AS reportCount
      ${from}
      GROUP BY ${isRaw ? sql`toStartOfDay(received_at)` : sql`bucket`}`,
  )
  return {
    name: 'findIssue',
    statement: sql`
      SELECT firstSeen, lastSeen, reportCount
      FROM (${join(days, ' UNION ALL ')})
      ORDER BY lastSeen DESC`,
    row,
  }
}
