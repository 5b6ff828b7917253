import { groupKind, ofReportTypes, type ReportTypesFilter } from '../groups/keyed-slices.ts'
import { sql } from '../sql/sql.ts'

/** Which issues are asked for. */
export type IssueFilter = ReportTypesFilter

/** The key is stored with each report: the first half of the MD5 of its site, type, subject and host. */
export const issueGroups = groupKind<IssueFilter>('reports_per_day_by_issue', ofReportTypes, () => sql`issue_key`)
