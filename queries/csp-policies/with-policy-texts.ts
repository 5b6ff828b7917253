import type { Reader } from '../sql/query.ts'
import type { CspPolicyFilter } from './csp-policy-groups.ts'
import type { QuotedCspPolicy } from './list-csp-policies.ts'
import { listCspPolicyTexts } from './list-csp-policy-texts.ts'

export interface QuotedText extends QuotedCspPolicy {
  /** As last quoted. */
  readonly text: string
}

/** Policies with their texts, without those whose last report is gone. */
export async function withPolicyTexts(
  readAll: Reader['readAll'],
  filter: CspPolicyFilter,
  policies: readonly QuotedCspPolicy[],
): Promise<QuotedText[]> {
  const texts = await readAll(listCspPolicyTexts(filter, policies))
  const textOf = new Map(texts.map(({ key, policy }) => [key, policy]))
  return policies.flatMap((policy) => {
    const text = textOf.get(policy.key)
    return text === undefined ? [] : [{ ...policy, text }]
  })
}
