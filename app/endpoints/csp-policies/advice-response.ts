import type { z } from 'zod'
import type { CspSourceExample } from '../../../queries/csp-policies/csp-source-details.ts'
import { issueId } from '../../../schema/issue-id.ts'
import type { cspAdvice } from '../../../schema/responses/csp-advice.ts'
import type { CspPolicy } from '../../../schema/responses/csp-policy.ts'
import { hintsOf, pathsOf } from '../../../schema/rules/csp/advice-hints.ts'
import type { Advice, AdvisedSource } from '../../../schema/rules/csp/advise-policy.ts'
import { parsePolicyLists } from '../../../schema/rules/csp/governing-directive.ts'
import type { JudgedReports } from '../../../schema/rules/csp/judge-sources.ts'
import { inheritedFrom } from '../../../schema/rules/csp/propose-policy.ts'
import { sumVerdicts, toCounts } from '../../../schema/rules/csp/sum-verdicts.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import type { Tally } from '../../../schema/rules/weights.ts'
import { evaluatePolicy, evaluator, introducedFindings } from './evaluate-policy.ts'
import { issueOfSource } from './issue-of-source.ts'

export interface AdvisedPolicy extends Pick<CspPolicy, 'id' | 'disposition' | 'policy' | 'truncated'> {
  /** The comparable form with queries of report-uri, not cut to the size of a response. */
  readonly whole: string
}

type AdviceBody = z.input<typeof cspAdvice>

const noReports: Tally = { reportCount: 0, weight: 0n }

const toWindow = ({ from, to }: TimeRange) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
})

function toEffect(judged: readonly JudgedReports[], rest: Tally): AdviceBody['effect']['before'] {
  const { violation, silent, unknown, unknownReasons } = sumVerdicts(judged, rest)
  const counts = ({ reportCount, estimatedReportCount }: typeof silent) => ({ reportCount, estimatedReportCount })
  return {
    violation: counts(violation),
    silent: counts(silent),
    unknown: { ...counts(unknown), byReason: unknownReasons },
  }
}

type AdviceOrigin = Pick<AdviceBody, 'base' | 'servedPolicyIds'>

/** Without a specified or served policy nothing is proposed: anyone can send a report that quotes another. */
const noteOf = ({ base }: AdviceOrigin) =>
  base === 'reported'
    ? 'Nothing is proposed, because only reports quote the policy: scan a page of the site ("pages add"), or specify the policy.'
    : null

/** Response if no policy is specified or served, and no report in the window quotes one. */
export function noAdvice(origin: AdviceOrigin, window: TimeRange): AdviceBody {
  const effect = toEffect([], noReports)
  return {
    ...origin,
    note: noteOf(origin),
    reviewCount: 0,
    policy: null,
    proposed: null,
    effect: { before: effect, after: effect },
    sources: [],
    sourceCount: 0,
    evaluation: { evaluator, before: [], after: [], introduced: [] },
    window: toWindow(window),
  }
}

interface AdviceParts extends AdviceOrigin {
  readonly siteId: string
  readonly policy: AdvisedPolicy
  /** Under that policy. */
  readonly judged: readonly JudgedReports[]
  readonly rest: Tally
  readonly advice: Advice
  readonly listed: readonly AdvisedSource[]
  readonly examples: readonly CspSourceExample[]
  readonly window: TimeRange
}

export function toAdvice(parts: AdviceParts): AdviceBody {
  const { base, servedPolicyIds, siteId, policy, judged, rest, advice, listed, examples, window } = parts
  const { id, disposition, whole, truncated } = policy
  const proposed = truncated || base === 'reported' ? undefined : advice.proposed
  const examplesOf = groupBy(examples, (one) => JSON.stringify([one.directive, one.source]))
  const before = evaluatePolicy(whole)
  const after = evaluatePolicy(proposed?.text ?? whole)
  return {
    base,
    servedPolicyIds,
    note: noteOf(parts),
    policy: { id, disposition, text: policy.policy, truncated },
    proposed: proposed
      ? { text: proposed.text, bytes: Buffer.byteLength(proposed.text), additions: proposed.additions.length }
      : null,
    effect: { before: toEffect(judged, rest), after: toEffect(proposed ? advice.judged : judged, rest) },
    sources: listed.map((source) => {
      const { directive, source: blocked } = source.found
      return toSource(siteId, source, examplesOf.get(JSON.stringify([directive, blocked])) ?? [], whole)
    }),
    sourceCount: advice.sources.length,
    reviewCount: advice.sources.filter(({ decision }) => decision === 'review').length,
    evaluation: { evaluator, before, after, introduced: introducedFindings(before, after) },
    window: toWindow(window),
  }
}

function toSource(
  siteId: string,
  advised: AdvisedSource,
  examples: readonly CspSourceExample[],
  policy: string,
): AdviceBody['sources'][number] {
  const { found, evidence, decision, reasons, addition } = advised
  return {
    directive: found.directive,
    source: found.source,
    decision,
    reasons: [...reasons],
    expression: addition?.expression ?? null,
    addTo: addition?.addTo ?? null,
    createdFrom: addition ? inheritedFrom(parsePolicyLists(policy), addition.addTo) : null,
    knownBy: [...(evidence?.knownBy ?? [])],
    hints: hintsOf(advised, examples),
    party: evidence?.party ?? 'none',
    ...toCounts(found),
    noiseCount: found.noiseCount,
    pageCount: evidence?.pageCount ?? 0,
    browsers: [...(evidence?.browsers ?? [])],
    confidence: evidence?.confidence ?? 'low',
    firstSeen: found.firstSeen,
    lastSeen: found.lastSeen,
    firstSeenEver: new Date(evidence?.firstSeenEver ?? found.firstSeen).toISOString(),
    issueId: issueId(issueOfSource(siteId, found)),
    paths: pathsOf(examples),
  }
}
