import type { CspPolicy } from '../../../schema/responses/csp-policy.ts'
import { longestStoredPolicy } from '../../../schema/stored-report.ts'
import { comparableForm, cutPolicy, policyId } from './csp-comparable-form.ts'

/** A policy as reports quote it. */
interface QuotedPolicy extends Pick<CspPolicy, 'disposition' | 'reportCount' | 'firstSeen' | 'lastSeen'> {
  readonly text: string
}

/**
 * Policies that say the same as one, their reports added up, in no order (contract, CSP policy). The id is that of the
 * whole comparable form, so that a cut never merges two.
 */
export function mergeCspPolicies(quoted: readonly QuotedPolicy[]): CspPolicy[] {
  const merged = new Map<string, CspPolicy>()
  for (const { text, disposition, reportCount, firstSeen, lastSeen } of quoted) {
    const comparable = comparableForm(text)
    const id = policyId(disposition, comparable)
    const same = merged.get(id)
    merged.set(id, {
      ...(same ?? { id, disposition, ...cutPolicy(comparable) }),
      ...(isClipped(text) && { truncated: true }),
      firstSeen: same && same.firstSeen < firstSeen ? same.firstSeen : firstSeen,
      lastSeen: same && same.lastSeen > lastSeen ? same.lastSeen : lastSeen,
      reportCount: reportCount + (same?.reportCount ?? 0),
    })
  }
  return [...merged.values()]
}

/** Whether a text was cut when it was stored, perhaps before half a character. */
const isClipped = (text: string) => text.length >= longestStoredPolicy - 1
