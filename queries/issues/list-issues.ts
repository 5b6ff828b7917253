import { z } from 'zod'
import { hourMs } from '../../schema/durations.ts'
import { issueTypeNames } from '../../schema/report-types.ts'
import { commonValue, groupsOf, groupTally } from '../groups/select-groups.ts'
import type { TimeRange } from '../rollups/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowTime } from '../sql/rows.ts'
import { at, empty, sql, uint, uint64 } from '../sql/sql.ts'
import { type IssueFilter, issueGroups } from './issue-groups.ts'

const row = z.object({ key: rowBigSum, siteId: z.string(), reportType: z.enum(issueTypeNames), lastSeen: rowTime })

/** An issue's place in the list; its details are asked for the issues of a page alone. */
export type RankedIssue = z.infer<typeof row>

/** Where a page of issues left off. */
export interface IssuePosition {
  /** Milliseconds since the Unix epoch. */
  readonly lastSeen: number
  /** Unsigned 64-bit integer in decimal digits; breaks ties. */
  readonly key: string
}

const measures = {
  siteId: commonValue(() => sql`site_id`),
  reportType: commonValue(() => sql`report_type`),
  lastSeen: groupTally.lastSeen,
}

/** Issues, the latest seen first, after a position. */
function listIssuesIn(filter: IssueFilter, after: IssuePosition | undefined, limit: number): Query<RankedIssue> {
  const issues = groupsOf(issueGroups.slices(filter), measures)
  return {
    name: 'listIssues',
    statement: sql`${issues}${after ? behind(after) : empty} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row,
  }
}

function behind({ lastSeen, key }: IssuePosition) {
  const time = at(new Date(lastSeen))
  return sql` HAVING lastSeen < ${time} OR (lastSeen = ${time} AND group_key > ${uint64(BigInt(key))})`
}

/** Milliseconds of raw reports that are worth reading before a rollup of the whole window. */
const recent = 6 * hourMs

/**
 * The lists to try in turn: of the six hours before the position, then of the whole window. A short list that fills the
 * page is the answer, because all it holds comes first in the whole one too.
 */
export function listIssues(filter: IssueFilter, after: IssuePosition | undefined, limit: number) {
  const { window } = filter
  const latest = Math.min(window.to, after?.lastSeen ?? window.to)
  const from = Math.max(window.from, latest - recent)
  const windows: readonly TimeRange[] = from > window.from ? [{ ...window, from }, window] : [window]
  return windows.map((each) => listIssuesIn({ ...filter, window: each }, after, limit))
}
