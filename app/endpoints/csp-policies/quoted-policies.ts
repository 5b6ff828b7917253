import type { QuotedCspPolicy } from '../../../queries/csp-policies/csp-policies.ts'
import type { CspSourceFilter } from '../../../queries/csp-policies/csp-sources.ts'
import type { QuotedText, QuotedTexts } from '../../../queries/csp-policies/read-quoted-policies.ts'
import { Problem } from '../../../schema/problems.ts'
import { createPolicyParser, type ParsedPolicy } from '../../../schema/rules/csp/governing-directive.ts'
import type { QuotedPolicies } from '../../../schema/rules/csp/judge-sources.ts'
import { idOfPolicy, isTruncatedPolicy } from '../../../schema/rules/csp/merge-csp-policies.ts'

/** The column policy_key; the key of a report-only policy is the complement. */
const policyKeyOf = ({ key, disposition }: QuotedCspPolicy): bigint =>
  disposition === 'report' ? BigInt.asUintN(64, ~key) : key

/** Filter of the reports that quote any of these policies, all of one disposition. */
export const quotingAny = ({ policies }: QuotedTexts): Pick<CspSourceFilter, 'policyKeys' | 'disposition'> => ({
  policyKeys: policies.map(policyKeyOf),
  disposition: policies[0]?.disposition,
})

/**
 * Filter of the reports that quote a policy. Throws not_found.
 * @param disposition if it is not the policy's, nothing matches.
 */
export function quotingPolicy(
  { policies }: QuotedTexts,
  id: string,
  disposition?: QuotedText['disposition'],
): Pick<CspSourceFilter, 'policyKeys' | 'disposition'> {
  const quoted = policies.filter((policy) => idOfPolicy(policy.disposition, policy.text) === id)
  const [first] = quoted
  if (!first) throw new Problem('not_found', 'No report in the window quotes this policy')
  const isOther = disposition !== undefined && disposition !== first.disposition
  return { policyKeys: isOther ? [] : quoted.map(policyKeyOf), disposition: first.disposition }
}

export function parseQuoted({ policies }: Pick<QuotedTexts, 'policies'>): QuotedPolicies {
  const texts = new Map(policies.map((policy) => [String(policyKeyOf(policy)), policy.text]))
  const parsed = new Map<string, ParsedPolicy | undefined>([['0', undefined]])
  const parse = createPolicyParser()
  return (policyKey) => {
    if (parsed.has(policyKey)) return parsed.get(policyKey)
    const text = texts.get(policyKey)
    if (text === undefined) return 'unread'
    const lists = isTruncatedPolicy(text) ? undefined : parse(text)
    parsed.set(policyKey, lists)
    return lists
  }
}
