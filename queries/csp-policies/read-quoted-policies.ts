import type { Reader } from '../sql/query.ts'
import type { CspPolicyFilter } from './csp-policy-groups.ts'
import { listCspPolicies, type QuotedCspPolicy } from './list-csp-policies.ts'
import { listCspPolicyTexts } from './list-csp-policy-texts.ts'

/** Distinct policies of one read, before any are merged (Rule 52). */
const maxPolicies = 200

export interface QuotedText extends QuotedCspPolicy {
  /** As last quoted. */
  readonly text: string
}

export interface QuotedTexts {
  /** Last quoted first, without those whose last report is gone. */
  readonly policies: readonly QuotedText[]
  /** More were quoted than one read takes. */
  readonly truncated: boolean
}

export async function readQuotedPolicies({ read, readAll }: Reader, filter: CspPolicyFilter): Promise<QuotedTexts> {
  const quoted = await read(listCspPolicies(filter, maxPolicies + 1))
  const kept = quoted.slice(0, maxPolicies)
  const texts = await readAll(listCspPolicyTexts(filter, kept))
  const textOf = new Map(texts.map(({ key, policy }) => [key, policy]))
  const policies = kept.flatMap((policy) => {
    const text = textOf.get(policy.key)
    return text === undefined ? [] : [{ ...policy, text }]
  })
  return { policies, truncated: quoted.length > maxPolicies }
}
