import type { CspPolicyFilter } from '../../../queries/csp-policies/csp-policy-groups.ts'
import type { CspSourceFilter } from '../../../queries/csp-policies/from-csp-sources.ts'
import { listCspPolicies, type QuotedCspPolicy } from '../../../queries/csp-policies/list-csp-policies.ts'
import { type QuotedText, withPolicyTexts } from '../../../queries/csp-policies/with-policy-texts.ts'
import { createPolicyParser, type ParsedPolicy } from '../../../queries/rules/csp/governing-directive.ts'
import type { QuotedPolicies } from '../../../queries/rules/csp/judge-sources.ts'
import { idOfPolicy, isTruncatedPolicy } from '../../../queries/rules/csp/merge-csp-policies.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { Problem } from '../../../schema/problems.ts'

/** Distinct policies of one read, before any are merged (Rule 52). */
const maxPolicies = 200

export interface QuotedTexts {
  /** Last quoted first. */
  readonly policies: readonly QuotedText[]
  /** More were quoted than one read takes. */
  readonly truncated: boolean
}

export async function readQuotedPolicies({ read, readAll }: Reader, filter: CspPolicyFilter): Promise<QuotedTexts> {
  const quoted = await read(listCspPolicies(filter, maxPolicies + 1))
  const policies = await withPolicyTexts(readAll, filter, quoted.slice(0, maxPolicies))
  return { policies, truncated: quoted.length > maxPolicies }
}

/** The column policy_key, of which a report-only policy's key is the complement. */
const policyKeyOf = ({ key, disposition }: QuotedCspPolicy): bigint =>
  disposition === 'report' ? BigInt.asUintN(64, ~key) : key

/** Filter of the reports that quote a policy. Throws not_found. @param disposition another one than the policy's: none. */
export function quotingPolicy(
  { policies }: QuotedTexts,
  id: string,
  disposition?: QuotedText['disposition'],
): Pick<CspSourceFilter, 'policyKeys' | 'disposition'> {
  const quoted = policies.filter((policy) => idOfPolicy(policy.disposition, policy.text) === id)
  const [first] = quoted
  if (!first) throw new Problem('not_found', 'No report of the window quotes such a policy')
  const isOther = disposition !== undefined && disposition !== first.disposition
  return { policyKeys: isOther ? [] : quoted.map(policyKeyOf), disposition: first.disposition }
}

export function parseQuoted({ policies }: QuotedTexts): QuotedPolicies {
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
