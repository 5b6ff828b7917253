import { z } from 'zod'
import { listCspSourceExamples } from '../../../queries/csp-policies/csp-source-details.ts'
import { readKnownSources } from '../../../queries/csp-policies/known-sources.ts'
import { openQuotedPolicies } from '../../../queries/csp-policies/read-quoted-policies.ts'
import { policyId } from '../../../schema/csp-params.ts'
import { dayMs } from '../../../schema/durations.ts'
import { integer, oneOf, uuid } from '../../../schema/params.ts'
import { cspAdvice } from '../../../schema/responses/csp-advice.ts'
import { adviceExample } from '../../../schema/responses/csp-examples.ts'
import { advisePolicy, sourcesByWeight } from '../../../schema/rules/csp/advise-policy.ts'
import { parsePolicyLists } from '../../../schema/rules/csp/governing-directive.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'
import { noAdvice, toAdvice } from './advice-response.ts'
import { candidatePolicy } from './candidate-policy.ts'
import { chooseBase, idOf } from './choose-base.ts'
import { parseQuoted, quotingAny } from './quoted-policies.ts'
import { readSourceEvidence } from './read-source-evidence.ts'
import { hasUnassessed, readVerdicts } from './read-verdicts.ts'

/** Maximum number of sources for which evidence is read. */
const maxAssessed = 200

export const cspPoliciesAdvice = endpoint({
  name: 'csp-policies.advice',
  path: '/v1/sites/{siteId}/csp-policies/advice',
  summary: 'Propose the next policy',
  description:
    'Sources to allow, review or deny, based on a policy’s reports and each with evidence; the policy with the allowed sources added; and the past reports that the old and the new policy would have caused. Anyone can send reports, so a source is allowed only if a scan, a served policy or an operator’s decision confirms it, and several browsers and pages reported it or an operator accepted it. Wildcards are never proposed. A source with a reason such as `inline` is denied, because allowing it would weaken the policy; see its `hints`.',
  pathParams: { siteId: uuid('The site') },
  query: {
    policyId: policyId(
      'Id of the policy, from csp-policies; by default the policy served to the last scan of the site’s pages, report-only before enforced',
    ).optional(),
    policy: candidatePolicy(
      'The policy as the value of a Content-Security-Policy header without a comma; replaces policyId',
    )
      .refine((policy) => !policy.includes(','), { error: 'must be one policy: a comma separates policies' })
      .optional()
      .meta({ examples: ["default-src 'self'; img-src https:"] }),
    scope: oneOf(['policy', 'site'], 'Use the reports that quote the policy, or all reports of the site')
      .default('policy')
      .meta({ examples: ['site'] }),
    minConfidence: oneOf(['high', 'medium'], 'Minimum confidence for a source to be allowed')
      .default('high')
      .meta({ examples: ['medium'] }),
    newDays: integer(
      0,
      31,
      'A third party first seen fewer than this number of days before `to` needs review; 0 disables the rule',
    )
      .default(7)
      .meta({ examples: [14] }),
    limit: integer(1, 200, 'Maximum number of sources that are listed and added to the policy')
      .default(50)
      .meta({ examples: [20] }),
  },
  window: windows.month,
  // Not cached: script decisions and the site's hosts affect it, and change without an import of reports.
  response: z
    .object({
      data: cspAdvice,
      truncated: z
        .boolean()
        .meta({ description: 'True if some sources are not listed or some reports were not assessed.' }),
    })
    .meta({ examples: [adviceExample] }),
  async handle({ caller: { tenant }, params, window, read, readAll }) {
    const { siteId, scope, minConfidence, newDays, limit } = params
    const reader = { read, readAll }
    const site = { tenantId: tenant.id, siteId, window }
    const known = await readKnownSources(read, tenant.id, siteId)
    const reports = openQuotedPolicies(reader, { ...site, page: undefined })
    const { base, policy, quoted } = await chooseBase(reports, { ...params, served: known.served })
    const common = { base, servedPolicyIds: [...new Set(known.served.map(idOf))] }
    if (!policy) return { data: noAdvice(common, window), truncated: false }
    const filter = { ...site, ...(scope === 'policy' && quotingAny(quoted)) }
    const texts = scope === 'policy' ? [] : (await reports.list()).policies
    const parsed = parseQuoted({ policies: [...texts, ...quoted.policies] })
    const lists = parsePolicyLists(policy.whole)
    const { judged, rest, judgeAgain } = await readVerdicts(reader, filter, [lists], parsed, known.sources)
    const { open, denied } = sourcesByWeight(policy.whole, judged, known.isKnown)
    const assessed = [...open.slice(0, maxAssessed), ...denied.slice(0, limit)]
    const evidenceOf = await readSourceEvidence(reader, { ...site, known }, assessed)
    const newSince = window.to - newDays * dayMs
    const rule = { evidenceOf, judgeAgain, limit, minConfidence, newSince }
    const advice = advisePolicy({ ...rule, policy: policy.whole, judged, found: [...open, ...denied] })
    const listed = advice.sources.filter(({ evidence }) => evidence).slice(0, limit)
    const directives = [...new Set(listed.map(({ found }) => found.directive))]
    const sources = [...new Set(listed.map(({ found }) => found.source))]
    const examples = await readAll(listCspSourceExamples({ ...filter, directives, sources }))
    return {
      data: toAdvice({ ...common, siteId, policy, judged, rest, advice, listed, examples, window }),
      truncated: listed.length < advice.sources.length || hasUnassessed([...judged, ...advice.judged], rest),
    }
  },
})
