import { z } from 'zod'
import { issueTypeNames } from '../../schema/report-types.ts'
import { browserFamilies, type GroupMeasures, groupsOf, sameOf } from '../groups/groups-of.ts'
import type { Query } from '../query.ts'
import { rowBigSum, rowCount } from '../rows.ts'
import { sql, uint64s } from '../sql.ts'
import { type IssueQuestion, issueKey, issueParts } from './issues.ts'
import type { CountedIssue } from './list-issues.ts'

const row = z.object({
  key: rowBigSum,
  siteId: z.string(),
  reportType: z.enum(issueTypeNames),
  subject: z.string(),
  targetHost: z.string(),
  affectedPages: rowCount,
  browserFamilyCount: rowCount,
})

/** What an issue is about, and what sent it. */
export type IssueDetails = z.infer<typeof row>

const measures: GroupMeasures = {
  siteId: sameOf(() => sql`site_id`),
  reportType: sameOf(() => sql`toString(report_type)`),
  subject: sameOf(() => sql`toString(issue_subject)`),
  targetHost: sameOf(() => sql`toString(issue_host)`),
  affectedPages: {
    ofPart: ({ isRaw, page }) =>
      isRaw ? sql`uniqExactStateIf(cityHash64(${page}), document_url != '')` : sql`uniqExactMergeState(pages)`,
    whole: (ofParts) => sql`uniqExactMerge(${ofParts})`,
  },
  browserFamilyCount: { ...browserFamilies, whole: (ofParts) => sql`length(${browserFamilies.whole(ofParts)})` },
}

/** What some issues are about, and how many pages and browser families sent them: an unknown page or user agent is none. */
export function listIssueDetails(
  question: IssueQuestion,
  issues: readonly Pick<CountedIssue, 'issueKey'>[],
): Query<IssueDetails>[] {
  if (issues.length === 0) return []
  const parts = issueParts(question, [sql`issue_key IN ${uint64s(issues.map(({ issueKey }) => issueKey))}`])
  return [{ name: 'listIssueDetails', statement: groupsOf(parts, issueKey, measures), row }]
}
