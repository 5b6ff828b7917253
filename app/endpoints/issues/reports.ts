import { z } from 'zod'
import { findIssue } from '../../../queries/issues/find-issue.ts'
import { listReports } from '../../../queries/reports/list-reports.ts'
import type { TimeRange } from '../../../queries/rollups/time-range.ts'
import { keyOfIssueId } from '../../../queries/rules/issue-id.ts'
import { latestRanges } from '../../../queries/rules/latest-ranges.ts'
import { oneOf, uuid } from '../../../schema/params.ts'
import { Problem } from '../../../schema/problems.ts'
import { issueTypeNames } from '../../../schema/report-types.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { type Report, report } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
import { timePosition } from '../../pipeline/time-position.ts'

export const issuesReports = endpoint({
  name: 'issues.reports',
  path: '/v1/sites/{siteId}/issues/{issueId}/reports',
  summary: 'List an issue’s reports',
  description:
    'The reports of one issue that retention holds, newest first. An issue without any is not found. At most the first 10,000 can be paged.',
  pathParams: {
    siteId: uuid('The site'),
    issueId: z.string().meta({
      description: 'The issue’s id; also send its `reportType` unless it is csp-violation',
      examples: ['8d5e957f29789348'],
    }),
  },
  query: { reportType: oneOf(issueTypeNames, 'The issue’s own report type').default('csp-violation') },
  window: 'retention',
  page: { ...listPage, position: timePosition('receivedAt') },
  response: listResponse(report),
  async handle({ caller: { tenant }, params: { siteId, issueId, reportType }, window, page, read }) {
    const issueKey = keyOfIssueId(issueId)
    const filter = { tenantId: tenant.id, window, siteId, reportTypes: [reportType] }
    const days = issueKey === undefined ? [] : await read(findIssue(filter, issueKey))
    if (issueKey === undefined || days.length === 0) {
      throw new Problem('not_found', 'There is no such issue with reports of that type')
    }
    const terms = [{ dimension: 'siteId', operator: 'any', values: [siteId] }] as const
    const list = async (ranges: readonly TimeRange[], limit: number): Promise<Report[]> => {
      const filter = { reportType, terms, issueKey, ranges }
      return ranges.length > 0 ? read(listReports(tenant.id, window, filter, { after: page.after, limit })) : []
    }
    const { latest, earlier } = latestRanges(days, page.rows, page.after?.receivedAt)
    const rows = await list(latest, page.rows)
    // A day's count can include reports with a shorter retention than others of that day.
    if (rows.length < page.rows) rows.push(...(await list(earlier, page.rows - rows.length)))
    return page.cut(rows)
  },
})
