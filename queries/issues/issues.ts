import type { ReportType } from '../../schema/report-types.ts'
import { equals } from '../equals.ts'
import { groupParts } from '../groups/group-parts.ts'
import type { GroupKey } from '../groups/groups-of.ts'
import type { Span } from '../rules/coverage.ts'
import { type Sql, sql, texts, uuid } from '../sql.ts'

/** Which issues are asked for. */
export interface IssueQuestion {
  readonly tenantId: string
  readonly window: Span
  /** Every site of the tenant where it is undefined. */
  readonly siteId: string | undefined
  readonly reportTypes: readonly ReportType[]
}

/** What must hold of the rows of the rollup and of raw rows alike. */
const issueConditions = ({ siteId, reportTypes }: IssueQuestion) => [
  sql`report_type IN ${texts(reportTypes)}`,
  ...equals('site_id', uuid, siteId),
]

/** @param also what else must hold, of columns that both have. */
export const issueParts = (question: IssueQuestion, also: readonly Sql[] = []) =>
  groupParts('issues_day', question.tenantId, question.window, [...issueConditions(question), ...also])

/** Stored with each report: the first half of the MD5 of its site, type, subject and host. */
export const issueKey: GroupKey = () => sql`issue_key`
