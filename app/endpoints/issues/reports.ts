import { listReports } from '../../../queries/reports/list-reports.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { type Report, report } from '../../../schema/responses/report.ts'
import { latestRanges } from '../../../schema/rules/time/latest-ranges.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
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
    const list = async (ranges: readonly TimeRange[], limit: number): Promise<Report[]> => {
      const filter = { reportType, terms, issueKey, ranges }
      return ranges.length > 0 ? read(listReports(caller.tenant.id, window, filter, { after: page.after, limit })) : []
    }
    const { latest, earlier } = latestRanges(days, page.rows, page.after?.receivedAt)
    const rows = await list(latest, page.rows)
    // A day's count can include reports with a shorter retention than others of that day.
    if (rows.length < page.rows) rows.push(...(await list(earlier, page.rows - rows.length)))
    return page.cut(rows)
  },
})
