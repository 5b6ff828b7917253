import { z } from 'zod'
import type { CspPolicyFilter } from '../../../queries/csp-policies/csp-policies.ts'
import { readQuotedPolicies } from '../../../queries/csp-policies/read-quoted-policies.ts'
import { issueIdParam } from '../../../schema/issue-filter.ts'
import { keyOfIssueId } from '../../../schema/issue-id.ts'
import { uuid } from '../../../schema/params.ts'
import { pageFilters, toPageConditions } from '../../../schema/report-filter.ts'
import { listResponse } from '../../../schema/responses/common.ts'
import { cspPolicy } from '../../../schema/responses/csp-policy.ts'
import { mergeCspPolicies } from '../../../schema/rules/csp/merge-csp-policies.ts'
import { pageMatch } from '../../../schema/rules/scans/page-pattern.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { wholeListPage } from '../../pipeline/page.ts'
import { latestFirst, timePosition } from '../../pipeline/time-position.ts'
import { windows } from '../../pipeline/windows.ts'
import { requirePage } from '../pages/require-page.ts'

export const cspPoliciesList = endpoint({
  name: 'csp-policies.list',
  path: '/v1/sites/{siteId}/csp-policies',
  summary: 'List CSP policies quoted in reports',
  description:
    'Policies that differ only in nonces, directive order, case or repeats count as one; the most recently quoted come first. `truncated` is true if more than 200 distinct policies were quoted, before merging, and only the most recent are listed.',
  pathParams: { siteId: uuid('The site') },
  query: {
    pageId: uuid('Only policies quoted in reports of this monitored page').optional(),
    ...pageFilters,
    issueId: issueIdParam,
  },
  parse: toPageConditions,
  window: windows.month,
  page: { ...wholeListPage, position: timePosition('lastSeen', cspPolicy.shape.id) },
  response: listResponse(cspPolicy, { truncated: z.boolean() }),
  async handle({
    caller: { tenant },
    params: { siteId, pageId, issueId },
    filter: pageConditions,
    window,
    page,
    read,
    readAll,
  }) {
    const monitored = pageId === undefined ? undefined : await requirePage(read, tenant.id, { siteId, pageId })
    const match = monitored && pageMatch(monitored.pattern)
    const issueKey = issueId === undefined ? undefined : keyOfIssueId(issueId)
    const filter: CspPolicyFilter = { tenantId: tenant.id, siteId, window, page: match, pageConditions, issueKey }
    const { policies, truncated } = await readQuotedPolicies({ read, readAll }, filter)
    return { ...page.sortAndCut(mergeCspPolicies(policies), latestFirst('lastSeen')), truncated }
  },
})
