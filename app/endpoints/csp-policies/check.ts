import { z } from 'zod'
import { openQuotedPolicies } from '../../../queries/csp-policies/read-quoted-policies.ts'
import { policyId } from '../../../schema/csp-params.ts'
import { dispositions } from '../../../schema/enumerations.ts'
import { integer, oneOf, uuid } from '../../../schema/params.ts'
import { cspCheck } from '../../../schema/responses/csp-advice.ts'
import { checkExample } from '../../../schema/responses/csp-examples.ts'
import { parsePolicies } from '../../../schema/rules/csp/governing-directive.ts'
import { policyWarnings } from '../../../schema/rules/csp/policy-warnings.ts'
import { sumVerdicts } from '../../../schema/rules/csp/sum-verdicts.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'
import { candidatePolicy } from './candidate-policy.ts'
import { checkedGroups } from './checked-groups.ts'
import { evaluatePolicy, evaluator } from './evaluate-policy.ts'
import { parseQuoted, quotingPolicy } from './quoted-policies.ts'
import { hasUnassessed, readVerdicts } from './read-verdicts.ts'

export const cspPoliciesCheck = endpoint({
  name: 'csp-policies.check',
  path: '/v1/sites/{siteId}/csp-policies/check',
  summary: 'Check a policy against past reports',
  description:
    'Past reports that a policy would still have caused, by directive and source: `violation` would be reported, `silent` would not, and `unknown` cannot be decided from the report, with the reason. The three totals add up to all reports of the scope. Browsers report the URL before redirects: allowing it can cause a report of the redirect target, with the reason `redirect`.',
  pathParams: { siteId: uuid('The site') },
  query: {
    policy: candidatePolicy(
      'The value of a Content-Security-Policy header without its name, on one or more lines. A comma separates policies; browsers apply all of them. Rejected with 400 if it is not printable ASCII (write hosts in Punycode), is too long, or has no known directive',
    ).meta({ examples: ["default-src 'self'; img-src https:"] }),
    policyId: policyId('Only reports that quote this policy of csp-policies').optional(),
    disposition: oneOf(
      dispositions,
      'Only reports of enforced or of report-only policies; a report without a disposition counts as enforced, as in csp-policies',
    )
      .optional()
      .meta({ examples: ['report'] }),
    limit: integer(1, 200, 'Maximum number of groups listed; the totals cover all groups')
      .default(50)
      .meta({ examples: [20] }),
  },
  window: windows.month,
  cache: 'until-import',
  response: z
    .object({
      data: cspCheck,
      groupCount: z.int().min(0),
      truncated: z
        .boolean()
        .meta({ description: 'True if some groups are not listed or some reports were not assessed.' }),
    })
    .meta({ examples: [checkExample] }),
  async handle({ caller: { tenant }, params, window, read, readAll }) {
    const { siteId, policy, policyId, disposition, limit } = params
    const reader = { read, readAll }
    const site = { tenantId: tenant.id, siteId, window }
    const reports = openQuotedPolicies(reader, { ...site, page: undefined })
    const quoted = policyId === undefined ? reports.list() : reports.find([policyId])
    const ofPolicy = policyId === undefined ? { disposition } : quotingPolicy(await quoted, policyId, disposition)
    const lists = parsePolicies(policy)
    const { judged, rest } = await readVerdicts(reader, { ...site, ...ofPolicy }, lists, quoted.then(parseQuoted))
    const { groups, groupCount } = checkedGroups(siteId, judged, limit)
    const noise = judged.reduce((sum, one) => sum + (one.verdict === 'violation' ? one.noiseCount : 0), 0)
    return {
      data: {
        policy: { text: policy, warnings: policyWarnings(policy) },
        totals: { ...sumVerdicts(judged, rest), noise: { reportCount: noise } },
        groups,
        evaluation: { evaluator, before: null, after: evaluatePolicy(policy) },
      },
      groupCount,
      truncated: groupCount > limit || hasUnassessed(judged, rest),
    }
  },
})
