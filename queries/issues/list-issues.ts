import { z } from 'zod'
import { groupsOf, groupTally, sameOf } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum, rowCount, rowTime } from '../rows.ts'
import { at, empty, sql, uint, uint64 } from '../sql.ts'
import { type IssueQuestion, issueKey, issueParts } from './issues.ts'

const row = z.object({
  key: rowBigSum,
  issueKey: rowBigSum,
  reportCount: rowCount,
  noiseCount: rowCount,
  weight: rowBigSum,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** An issue, apart from what is asked for the issues of a page alone. */
export type CountedIssue = z.infer<typeof row>

/** Where a page of issues left off. */
export interface IssuePosition {
  /** Milliseconds since the Unix epoch. */
  readonly lastSeen: number
  /** Unsigned 64-bit integer in decimal digits; breaks ties. */
  readonly key: string
}

const anyKey = sameOf(() => sql`issue_key`)

/** Numbers only: the texts of every issue of a window would take most of the time. */
const measures = {
  issueKey: { ...anyKey, whole: (ofParts) => sql`toString(${anyKey.whole(ofParts)})` },
  ...groupTally,
  noiseCount: {
    ofPart: ({ isRaw }) => (isRaw ? sql`countIf(noise)` : sql`sum(noise_count)`),
    whole: (ofParts) => sql`sum(${ofParts})`,
  },
} satisfies Parameters<typeof groupsOf>[2]

/** Issues, the latest seen first, after a position. */
export function listIssues(
  question: IssueQuestion,
  after: IssuePosition | undefined,
  limit: number,
): Query<CountedIssue> {
  const issues = groupsOf(issueParts(question), issueKey, measures)
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
