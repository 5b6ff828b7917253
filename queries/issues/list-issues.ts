import { z } from 'zod'
import { hourMs } from '../../schema/durations.ts'
import { issueTypeNames } from '../../schema/report-types.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, groupTally, selectGroups } from '../groups/select-groups.ts'
import type { TimeRange } from '../rollups/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowTime } from '../sql/rows.ts'
import { at, empty, sql, uint, uint64 } from '../sql/sql.ts'
import { type IssueFilter, issueGroups } from './issue-groups.ts'

const row = z.object({ key: rowBigSum, siteId: z.string(), reportType: z.enum(issueTypeNames), lastSeen: rowTime })

export type RankedIssue = z.infer<typeof row>

export interface IssuePosition {
  readonly lastSeen: number
  /** Unsigned 64-bit integer in digits; breaks ties. */
  readonly key: string
}

const measures = {
  siteId: commonValue(() => sql`site_id`),
  reportType: commonValue(() => sql`report_type`),
  lastSeen: groupTally.lastSeen,
}

function listIssuesIn(filter: IssueFilter, after: IssuePosition | undefined, limit: number): Query<RankedIssue> {
  const issues = selectGroups(keyedSlices(issueGroups(filter)), measures)
  return {
    name: 'listIssues',
    statement: sql`${issues}${after ? isAfter(after) : empty} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row,
  }
}

function isAfter({ lastSeen, key }: IssuePosition) {
  const time = at(new Date(lastSeen))
  return sql` HAVING lastSeen < ${time} OR (lastSeen = ${time} AND group_key > ${uint64(BigInt(key))})`
}

/** Raw reports of a longer time cost more than the rollup of the whole window. */
const recentMs = 6 * hourMs

/** Queries to try in order, the six hours before the position first; a result that fills the page is final. */
export function listIssues(filter: IssueFilter, after: IssuePosition | undefined, limit: number) {
  const { window } = filter
  const latest = Math.min(window.to, after?.lastSeen ?? window.to)
  const from = Math.max(window.from, latest - recentMs)
  const windows: readonly TimeRange[] = from > window.from ? [{ ...window, from }, window] : [window]
  return windows.map((each) => listIssuesIn({ ...filter, window: each }, after, limit))
}
