import { listReports } from '../../../queries/reports/list-reports.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { report } from '../../../schema/responses/report.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
import { readLatest } from '../../pipeline/read-latest.ts'
import { timePosition } from '../../pipeline/time-position.ts'
import { issueParams, readIssue } from './read-issue.ts'

export const issuesReports = endpoint({
  name: 'issues.reports',
  path: '/v1/sites/{siteId}/issues/{issueId}/reports',
  summary: 'List an issue’s reports',
  description:
    'The reports of one issue within retention, newest first. An issue without reports is not found. Only the first 10,000 reports can be paged.',
  ...issueParams,
  window: 'retention',
  page: { ...listPage, position: timePosition('receivedAt') },
  response: listResponse(report),
  async handle({ caller, params, window, page, read }) {
    const { issueKey, days } = await readIssue({ caller, params, window, read })
    const { siteId, reportType } = params
    const terms = [{ dimension: 'siteId', operator: 'any', values: [siteId] }] as const
    const rows = await readLatest(days, page, (ranges, limit) =>
      read(
        listReports(caller.tenant.id, window, { reportType, terms, issueKey, ranges }, { after: page.after, limit }),
      ),
    )
    return page.cut(rows)
  },
})
