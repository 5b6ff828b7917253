/** @module Sources that the next policy should allow, and the reports that would remain. */

import type { CspDecision, DenyingReason, ReviewReason } from '../../csp-verdicts.ts'
import { byText } from '../by-text.ts'
import { denyingReasonsOf, type ReviewRule, reviewReasonsOf, type SourceEvidence } from './advice-reasons.ts'
import { type AdvisableSource, advisableSources } from './advisable-sources.ts'
import { type ParsedPolicy, parsePolicyLists } from './governing-directive.ts'
import { type JudgedReports, sourceKey } from './judge-sources.ts'
import { parsePolicy } from './parse-policy.ts'
import { type Addition, additionTarget, proposePolicy } from './propose-policy.ts'

export interface AdvisedSource {
  readonly found: AdvisableSource
  readonly evidence: SourceEvidence | undefined
  readonly decision: CspDecision
  readonly reasons: readonly (DenyingReason | ReviewReason)[]
  readonly addition: Addition | undefined
}

interface AdviceRequest extends ReviewRule {
  /** Text of the policy. */
  readonly policy: string
  /** Under that policy. */
  readonly judged: readonly JudgedReports[]
  /** Sources of these verdicts, in any order. */
  readonly found: readonly AdvisableSource[]
  /** Undefined if it was not read. */
  readonly evidenceOf: (found: AdvisableSource) => SourceEvidence | undefined
  readonly judgeAgain: (policy: ParsedPolicy) => JudgedReports[]
  /** Sources that are added. */
  readonly limit: number
}

export interface Advice {
  /** Allowed first, then those to review, known ones first; largest estimate first. */
  readonly sources: readonly AdvisedSource[]
  /** Undefined if nothing is added. */
  readonly proposed: { readonly text: string; readonly additions: readonly Addition[] } | undefined
  /** Under the proposed policy. */
  readonly judged: readonly JudgedReports[]
}

/** Sources that a reviewer could allow, known ones first, then the rest, each by weight, the largest first. */
export function sourcesByWeight(
  policy: string,
  judged: readonly JudgedReports[],
  isKnown: (found: AdvisableSource) => boolean,
) {
  const lists = parsePolicyLists(policy)
  const sources = advisableSources(judged).sort((a, b) => Number(isKnown(b)) - Number(isKnown(a)) || largestFirst(a, b))
  const denied = new Set(sources.filter((found) => denyingReasonsOf(found, lists, undefined).length > 0))
  return { open: sources.filter((found) => !denied.has(found)), denied: [...denied] }
}

const largestFirst = (a: AdvisableSource, b: AdvisableSource): number => {
  if (a.weight !== b.weight) return a.weight > b.weight ? -1 : 1
  return byText(a.directive, b.directive) || byText(a.source, b.source)
}

const decisionRank: Readonly<Record<CspDecision, number>> = { allow: 0, review: 1, deny: 2 }

export function advisePolicy(request: AdviceRequest): Advice {
  const { judged, judgeAgain, limit } = request
  const lists = parsePolicyLists(request.policy)
  let sources = withAllowedAdditions(request.found.map((found) => advise(request, lists, found)))
  // Each round removes an addition.
  for (;;) {
    const additions = uniqueAdditions(sources.slice(0, limit))
    if (additions.length === 0) return { sources, proposed: undefined, judged }
    const text = proposePolicy(parsePolicy(request.policy), additions)
    const after = judgeAgain(parsePolicyLists(text))
    const opening = openingOthers(sources, additions, after)
    if (opening.size === 0) return { sources, proposed: { text, additions }, judged: after }
    sources = sources
      .map((source) => (opening.has(additionKey(source.addition)) ? withReview(source) : source))
      .sort(allowedFirst)
  }
}

/** An expression that one source's evidence adds covers others: an old browser's of the same host, for one. */
function withAllowedAdditions(sources: readonly AdvisedSource[]): AdvisedSource[] {
  const allowed = new Set(sources.filter(isAllowed).map(({ addition }) => additionKey(addition)))
  const covered = (source: AdvisedSource) => source.addition && allowed.has(additionKey(source.addition))
  return sources
    .map((source): AdvisedSource => (covered(source) ? { ...source, decision: 'allow' } : source))
    .sort(allowedFirst)
}

const isAllowed = ({ decision }: AdvisedSource) => decision === 'allow'

const allowedFirst = (a: AdvisedSource, b: AdvisedSource): number =>
  decisionRank[a.decision] - decisionRank[b.decision] ||
  Number(isClaimed(a)) - Number(isClaimed(b)) ||
  largestFirst(a.found, b.found)

const isClaimed = ({ decision, reasons }: AdvisedSource) =>
  decision === 'review' && reasons.includes('claimed_by_reports_alone')

function advise({ evidenceOf, ...rule }: AdviceRequest, lists: ParsedPolicy, found: AdvisableSource): AdvisedSource {
  const evidence = evidenceOf(found)
  const denying = denyingReasonsOf(found, lists, evidence)
  if (denying.length > 0) return { found, evidence, decision: 'deny', reasons: denying, addition: undefined }
  const reasons = evidence ? reviewReasonsOf(found, lists, evidence, rule) : (['claimed_by_reports_alone'] as const)
  const addTo = additionTarget(lists, found.directive)
  const addition = addTo === undefined ? undefined : { addTo, expression: expressionOf(found) }
  return { found, evidence, decision: reasons.length > 0 || !addition ? 'review' : 'allow', reasons, addition }
}

/**
 * No wildcards, because `*.` over a shared suffix allows everyone. A host with an underscore has no other expression,
 * so it needs review.
 */
function expressionOf({ source, isSelf, url }: AdvisableSource): string {
  if (isSelf) return "'self'"
  if (url?.host.includes('_')) return source.replace(/\/\/[^:]*_[^.:]*\./, '//*.')
  return source.includes('://') ? source : `${source}:`
}

const additionKey = (addition: Addition | undefined) => addition && `${addition.addTo} ${addition.expression}`

function uniqueAdditions(sources: readonly AdvisedSource[]): Addition[] {
  const allowed = sources.flatMap((source) => (isAllowed(source) && source.addition ? [source.addition] : []))
  return [...new Map(allowed.map((addition) => [additionKey(addition), addition])).values()]
}

/**
 * Additions that would silence reports of sources that are not allowed; an unconfirmed source does not keep out a known
 * one.
 */
function openingOthers(
  sources: readonly AdvisedSource[],
  additions: readonly Addition[],
  after: readonly JudgedReports[],
): Set<string | undefined> {
  const allowed = new Set(
    sources.filter((source) => isAllowed(source) || isClaimed(source)).map(({ found }) => sourceKey(found)),
  )
  const added = new Set(additions.map(additionKey))
  const opened = after.filter(({ group, verdict }) => verdict === 'silent' && !allowed.has(group.key))
  return new Set(
    opened.map(({ governedBy, matchedBy }) => `${governedBy} ${matchedBy}`).filter((one) => added.has(one)),
  )
}

const withReview = (source: AdvisedSource): AdvisedSource => ({
  ...source,
  decision: 'review',
  reasons: [...source.reasons, 'opens_other'],
})
