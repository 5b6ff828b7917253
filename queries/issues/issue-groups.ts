import type { IssueConditions } from '../../schema/issue-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { type Groups, ofReportTypes, type ReportTypesFilter } from '../groups/keyed-slices.ts'
import { matchesText } from '../sql/matches.ts'
import { sql } from '../sql/sql.ts'
import { isOfIssueFirstSeenIn } from './first-sightings.ts'

export interface IssueFilter extends ReportTypesFilter, Omit<IssueConditions, 'isNew'> {
  /** Only issues that are new within it. */
  readonly firstSeenIn?: TimeRange | undefined
}

/** The key is stored with each report: the first half of the MD5 of its site, type, subject and host (Rule 44). */
export const issueGroups = (filter: IssueFilter): Groups => ({
  filter,
  rollup: 'reports_per_day_by_issue',
  conditions: [
    ...ofReportTypes(filter),
    ...(filter.subject ?? []).map((condition) => matchesText(sql`issue_subject`, condition)),
    ...(filter.firstSeenIn ? [isOfIssueFirstSeenIn(filter, filter.firstSeenIn)] : []),
    ...(filter.targetHost ?? []).map((condition) => matchesText(sql`issue_host`, condition)),
  ],
  key: () => sql`issue_key`,
})
