import { z } from 'zod'
import { findQuotedPolicies, readQuotedPolicies } from '../../../queries/csp-policies/read-quoted-policies.ts'
import { parsePolicies } from '../../../queries/rules/csp/governing-directive.ts'
import { policyWarnings } from '../../../queries/rules/csp/policy-warnings.ts'
import { sumVerdicts } from '../../../queries/rules/csp/sum-verdicts.ts'
import { policyId } from '../../../schema/csp-params.ts'
import { dispositions } from '../../../schema/enumerations.ts'
import { integer, oneOf, uuid } from '../../../schema/params.ts'
import { cspCheck } from '../../../schema/responses/csp-advice.ts'
import { checkExample } from '../../../schema/responses/csp-examples.ts'
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
  summary: 'Check a policy over past reports',
  description:
    'Which past reports a policy would still have caused, by directive and source: `violation` would be reported, `silent` not, and `unknown` is what a report does not decide, with the reason. The three totals are all reports of the scope. Browsers report the URL before redirects: allowing it can bring a report of the target, which then is `redirect`.',
  pathParams: { siteId: uuid('The site') },
  query: {
    policy: candidatePolicy(
      'The value of a Content-Security-Policy header, without its name, also of several lines; a comma separates policies, of which browsers apply each. 400 if it is not printable ASCII (hosts are in Punycode), is too long, or has no directive that browsers know',
    ).meta({ examples: ["default-src 'self'; img-src https:"] }),
    policyId: policyId('Only reports that quote this policy of csp-policies').optional(),
    disposition: oneOf(
      dispositions,
      'Only reports of enforced or of report-only policies; a report without a disposition is of an enforced one, as in csp-policies',
    )
      .optional()
      .meta({ examples: ['report'] }),
    limit: integer(1, 200, 'The most groups that are listed; the totals are of all')
      .default(50)
      .meta({ examples: [20] }),
  },
  window: windows.month,
  cache: 'until-import',
  response: z
    .object({
      data: cspCheck,
      groupCount: z.int().min(0),
      truncated: z.boolean().meta({ description: 'Whether groups are not listed, or reports were not assessed.' }),
    })
    .meta({ examples: [checkExample] }),
  async handle({ caller: { tenant }, params, window, read, readAll }) {
    const { siteId, policy, policyId, disposition, limit } = params
    const reader = { read, readAll }
    const site = { tenantId: tenant.id, siteId, window }
    const filter = { ...site, page: undefined }
    const quoted =
      policyId === undefined ? readQuotedPolicies(reader, filter) : findQuotedPolicies(reader, filter, [policyId])
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
