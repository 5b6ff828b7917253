/** @module Verdicts of a policy over groups of past reports, whose sums are those of the groups. */

import type { CspVerdictName, CspVerdictReason } from '../../../schema/csp-verdicts.ts'
import { groupBy } from '../group-by.ts'
import type { Tally } from '../weights.ts'
import type { ParsedPolicy } from './governing-directive.ts'
import { judgeRequest, type Verdict } from './judge-request.ts'
import type { ObservedRequest } from './observed-request.ts'

interface Counted extends Tally {
  readonly noiseCount: number
}

type Request = Pick<ObservedRequest, 'directive' | 'source' | 'self' | 'pageScheme'>

/** Reports of one directive, source and relation to the page. */
export interface SourceGroup extends Request {
  readonly quotes: readonly (Counted & { readonly policyKey: bigint })[]
  readonly firstSeen: string
  readonly lastSeen: string
}

export interface SourceDetail extends Request, Counted {
  readonly policyKey: bigint
  readonly detail: string
  readonly isDetailCut: boolean
}

/** A quoted policy; undefined: unknown or cut; `unread`: beyond those that one read takes. */
export type QuotedPolicies = (policyKey: bigint) => ParsedPolicy | undefined | 'unread'

export interface JudgedReports extends Counted {
  readonly group: SourceGroup
  readonly verdict: CspVerdictName
  readonly reason: CspVerdictReason | null
  readonly governedBy: string | null
  readonly matchedBy: string | null
}

const notAssessed = {
  ...{ verdict: 'unknown', reason: 'not_assessed', governedBy: null, matchedBy: null },
} as const satisfies Verdict

/** By group and policy. */
export type DetailsOf = (group: SourceGroup, policyKey: bigint) => readonly SourceDetail[]

const detailKey = ({ directive, source, self, pageScheme }: Request, policyKey: bigint) =>
  JSON.stringify([directive, source, self, pageScheme, String(policyKey)])

export function detailsOf(details: readonly SourceDetail[]): DetailsOf {
  const byKey = groupBy(details, (detail) => detailKey(detail, detail.policyKey))
  return (group, policyKey) => byKey.get(detailKey(group, policyKey)) ?? []
}

/** Sources whose details decide a verdict, largest weight first. */
export function sourcesToDetail(
  candidate: ParsedPolicy,
  groups: readonly SourceGroup[],
  quotedOf: QuotedPolicies,
): string[] {
  const needing = groups.filter((group) =>
    group.quotes.some(({ policyKey }) => judgeWhole(candidate, group, quotedOf(policyKey)).reason === 'detail'),
  )
  return [...new Set(needing.map(({ source }) => source))]
}

export function judgeSources(
  candidate: ParsedPolicy,
  groups: readonly SourceGroup[],
  quotedOf: QuotedPolicies,
  details: DetailsOf,
): JudgedReports[] {
  return groups.flatMap((group) =>
    group.quotes.flatMap(({ policyKey, ...counted }) => {
      const quoted = quotedOf(policyKey)
      const whole = judgeWhole(candidate, group, quoted)
      if (whole.reason !== 'detail') return [{ group, ...settled(whole), ...counted }]
      const known = details(group, policyKey)
      const judged = known.map((one): JudgedReports => {
        const verdict = judgeRequest(candidate, quoted === 'unread' ? undefined : quoted, one)
        const { reportCount, weight, noiseCount } = one
        return { group, ...settled(verdict), reportCount, weight, noiseCount }
      })
      return [...judged, ...remainder(group, counted, known)]
    }),
  )
}

/** Without details. */
function judgeWhole(candidate: ParsedPolicy, group: SourceGroup, quoted: ReturnType<QuotedPolicies>): Verdict {
  if (quoted === 'unread') return notAssessed
  return judgeRequest(candidate, quoted, { ...group, detail: undefined, isDetailCut: false })
}

const settled = (verdict: Verdict) =>
  verdict.reason === 'detail' ? notAssessed : { ...verdict, reason: verdict.reason as CspVerdictReason | null }

/** Reports of the group whose details were not read. */
function remainder(group: SourceGroup, whole: Counted, known: readonly Counted[]): JudgedReports[] {
  const rest = known.reduce(
    (left, { reportCount, weight, noiseCount }) => ({
      reportCount: left.reportCount - reportCount,
      weight: left.weight - weight,
      noiseCount: left.noiseCount - noiseCount,
    }),
    { reportCount: whole.reportCount, weight: whole.weight, noiseCount: whole.noiseCount },
  )
  return rest.reportCount > 0 ? [{ group, ...notAssessed, ...rest }] : []
}
