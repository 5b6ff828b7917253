import { type Groups, ofReportTypes, type ReportTypesFilter } from '../groups/keyed-slices.ts'
import { sql } from '../sql/sql.ts'

export type IssueFilter = ReportTypesFilter

/** The key is stored with each report: the first half of the MD5 of its site, type, subject and host (Rule 44). */
export const issueGroups = (filter: IssueFilter): Groups => ({
  filter,
  rollup: 'reports_per_day_by_issue',
  conditions: ofReportTypes(filter),
  key: () => sql`issue_key`,
})
