import type { QuotedPolicyReads, QuotedText, QuotedTexts } from '../../../queries/csp-policies/read-quoted-policies.ts'
import type { cspBases } from '../../../schema/csp-verdicts.ts'
import { Problem } from '../../../schema/problems.ts'
import { comparableForm, cutPolicy, sendableForm } from '../../../schema/rules/csp/csp-comparable-form.ts'
import type { ServedPolicy } from '../../../schema/rules/csp/known-sources.ts'
import { idOfPolicy, isTruncatedPolicy } from '../../../schema/rules/csp/merge-csp-policies.ts'
import type { AdvisedPolicy } from './advice-response.ts'

interface BaseRequest {
  readonly policyId?: string | undefined
  readonly policy?: string | undefined
  readonly served: readonly ServedPolicy[]
}

interface AdviceBase {
  readonly base: (typeof cspBases)[number]
  /** Undefined if no policy was specified or served, and no report quotes one. */
  readonly policy: AdvisedPolicy | undefined
  /** Texts quoted in reports. */
  readonly quoted: QuotedTexts
}

export const idOf = ({ disposition, text }: ServedPolicy): string => idOfPolicy(disposition, text)

/**
 * The named policy, else the last that a scan was served, else the last that reports quote, report-only before enforced.
 * The text is the known one: a report can quote another case of it. Throws not_found.
 */
export async function chooseBase(reports: QuotedPolicyReads, request: BaseRequest): Promise<AdviceBase> {
  const { policyId, policy } = request
  const known = knownPolicies(request)
  const ids = policyId === undefined ? known.map(idOf) : [policyId]
  if (ids.length === 0) {
    const last = reportOnlyFirst((await reports.list()).policies)
    const quoted = await reports.find(last ? [idOf(last)] : [])
    return { base: 'reported', policy: last && toAdvised(last), quoted }
  }
  const { policies } = await reports.find(ids)
  const isQuoted = (one: ServedPolicy) => policies.some((quoted) => idOf(quoted) === idOf(one))
  const chosen = known.find(isQuoted) ?? known.at(-1) ?? policies[0]
  if (!chosen) throw new Problem('not_found', 'No report in the window quotes this policy')
  return {
    base: policyId === undefined && policy === undefined ? 'served' : 'named',
    policy: toAdvised(chosen),
    quoted: { policies: policies.filter((one) => idOf(one) === idOf(chosen)), truncated: false },
  }
}

function knownPolicies({ policyId, policy, served }: BaseRequest): readonly ServedPolicy[] {
  if (policy !== undefined)
    return (['report', 'enforce'] as const).map((disposition) => ({ disposition, text: policy }))
  return policyId === undefined ? served.slice(0, 1) : served.filter((one) => idOf(one) === policyId).slice(0, 1)
}

const reportOnlyFirst = (policies: readonly QuotedText[]) =>
  policies.find(({ disposition }) => disposition === 'report') ?? policies[0]

function toAdvised({ disposition, text }: ServedPolicy): AdvisedPolicy {
  const { policy, truncated } = cutPolicy(comparableForm(text))
  const id = idOfPolicy(disposition, text)
  return { id, disposition, policy, truncated: truncated || isTruncatedPolicy(text), whole: sendableForm(text) }
}
