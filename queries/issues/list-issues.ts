import { z } from 'zod'
import { dayMs, hourMs } from '../../schema/durations.ts'
import { issueTypeNames } from '../../schema/report-types.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, groupTally, selectGroups } from '../groups/select-groups.ts'
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

/** Raw reports of a longer time cost more than the rollup of the last whole day. */
const recentMs = 6 * hourMs

/** Queries to try in order: six hours before the position, its last whole day, and all; a full page is final. */
export function listIssues(filter: IssueFilter, after: IssuePosition | undefined, limit: number) {
  const { window } = filter
  const latest = Math.min(window.to, after?.lastSeen ?? window.to)
  const lastWholeDay = Math.floor(latest / dayMs - 1) * dayMs
  const starts = [latest - recentMs, lastWholeDay].filter((from) => from > window.from)
  return [...starts, window.from].map((from) => {
    const recent: IssueFilter = { ...filter, window: { ...window, from } }
    return listIssuesIn(recent, after, limit)
  })
}
