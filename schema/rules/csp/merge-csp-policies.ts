import type { CspPolicy } from '../../responses/csp-policy.ts'
import { maxStoredPolicyLength } from '../../stored-report.ts'
import { comparableForm, cutPolicy, policyId } from './csp-comparable-form.ts'

interface QuotedPolicy extends Pick<CspPolicy, 'disposition' | 'reportCount' | 'firstSeen' | 'lastSeen'> {
  readonly text: string
}

/**
 * Rule 51, for policies with the latest quote first. The id hashes the whole form, so that truncation never merges two
 * policies.
 */
export function mergeCspPolicies(quoted: readonly QuotedPolicy[]): CspPolicy[] {
  const merged = new Map<string, CspPolicy>()
  for (const { text, disposition, reportCount, firstSeen, lastSeen } of quoted) {
    const id = idOfPolicy(disposition, text)
    const same = merged.get(id)
    merged.set(id, {
      ...(same ?? { id, disposition, ...cutPolicy(comparableForm(text)) }),
      ...(isTruncatedPolicy(text) && { truncated: true }),
      firstSeen: same && same.firstSeen < firstSeen ? same.firstSeen : firstSeen,
      lastSeen: same && same.lastSeen > lastSeen ? same.lastSeen : lastSeen,
      reportCount: reportCount + (same?.reportCount ?? 0),
    })
  }
  return [...merged.values()]
}

/** Rule 51. */
export const idOfPolicy = (disposition: QuotedPolicy['disposition'], text: string): string =>
  policyId(disposition, comparableForm(text.toLowerCase()))

/** Cut when it was stored, perhaps before half a character. */
export const isTruncatedPolicy = (text: string) => text.length >= maxStoredPolicyLength - 1
