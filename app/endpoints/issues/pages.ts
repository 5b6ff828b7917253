import { listIssuePages } from '../../../queries/issues/issue-details.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { issuePage } from '../../../schema/responses/issue.ts'
import { estimate } from '../../../schema/rules/weights.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { listPage } from '../../pipeline/page.ts'
import { volumePosition } from '../groups/volume-position.ts'
import { issueParams, readIssue } from './read-issue.ts'

export const issuesPages = endpoint({
  name: 'issues.pages',
  path: '/v1/sites/{siteId}/issues/{issueId}/pages',
  summary: 'List an issue’s pages',
  description:
    'The pages with reports of an issue within retention, largest estimate first. An issue without reports is not found. Only the first 10,000 pages can be paged.',
  ...issueParams,
  window: 'retention',
  page: { ...listPage, position: volumePosition },
  response: listResponse(issuePage),
  async handle({ caller, params, window, page, read }) {
    const { filter, issueKey, days } = await readIssue({ caller, params, window, read })
    const { after, rows: limit } = page
    const { data, ...paging } = page.cut(
      await read(listIssuePages(filter, { issueKey, ranges: days }, { after, limit })),
    )
    return {
      data: data.map((found) => ({
        page: found.page,
        reportCount: found.reportCount,
        estimatedReportCount: estimate(found),
        firstSeen: found.firstSeen,
        lastSeen: found.lastSeen,
      })),
      ...paging,
    }
  },
})
