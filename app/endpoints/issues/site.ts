import { issueTypesParam, toIssueConditions } from '../../../schema/issue-filter.ts'
import { uuid } from '../../../schema/params.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { issueListAdditions, issueListing, readIssuePage } from './issue-listing.ts'

export const issuesSite = endpoint({
  name: 'issues.site',
  path: '/v1/sites/{siteId}/issues',
  summary: 'List a site’s issues',
  description: 'Like the list of all issues, for one site.',
  pathParams: { siteId: uuid('The site') },
  query: { reportType: issueTypesParam.optional(), ...issueListAdditions },
  parse: toIssueConditions,
  ...issueListing,
  handle: ({ params, filter, ...ctx }) => readIssuePage(ctx, params, filter),
})
