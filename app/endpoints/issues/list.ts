import { issueTypesParam, toIssueConditions } from '../../../schema/issue-filter.ts'
import { uuid } from '../../../schema/params.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { issueListAdditions, issueListing, readIssuePage } from './issue-listing.ts'

export const issuesList = endpoint({
  name: 'issues.list',
  path: '/v1/issues',
  summary: 'List issues',
  description:
    'Reports grouped by problem, most recently seen first. Only the first 10,000 issues can be paged; narrow the window to see others.',
  query: {
    siteId: uuid('Only issues of this site').optional(),
    reportType: issueTypesParam.optional(),
    ...issueListAdditions,
  },
  parse: toIssueConditions,
  ...issueListing,
  handle: ({ params, filter, ...ctx }) => readIssuePage(ctx, params, filter),
})
