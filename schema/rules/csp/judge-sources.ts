/** @module Verdicts of a policy over groups of past reports, whose sums are those of the groups. */

import type { CspVerdictName, CspVerdictReason } from '../../csp-verdicts.ts'
import type { Tally } from '../weights.ts'
import { decisivePart, type ParsedPolicy } from './governing-directive.ts'
import { judgeByAll, type ParsedRequest, type Verdict } from './judge-request.ts'
import type { ObservedRequest } from './observed-request.ts'

interface Counted extends Tally {
  readonly noiseCount: number
}

type Request = Pick<ObservedRequest, 'directive' | 'source' | 'self' | 'pageScheme'>

/** Reports of one directive, source and relation to the page, whose detail was not read. */
export interface SourceGroup extends ParsedRequest {
  /** Key of directive and source. */
  readonly key: string
  readonly quotes: readonly (Counted & { readonly policyKey: string })[]
  readonly firstSeen: string
  readonly lastSeen: string
}

export interface SourceDetail extends Counted {
  readonly detail: string
  readonly isDetailCut: boolean
}

/** Paths or samples of a group's reports that quote one policy. */
export interface SourceDetails extends Request {
  readonly policyKey: string
  readonly details: readonly SourceDetail[]
}

export const sourceKey = ({ directive, source }: Pick<Request, 'directive' | 'source'>): string =>
  JSON.stringify([directive, source])

/** A quoted policy; undefined if unknown or truncated; `unread` if it is beyond the number that one read returns. */
export type QuotedPolicies = (policyKey: string) => ParsedPolicy | undefined | 'unread'

export interface JudgedReports extends Counted {
  readonly group: SourceGroup
  readonly verdict: CspVerdictName
  readonly reason: CspVerdictReason | null
  readonly governedBy: string | null
  readonly matchedBy: string | null
}

const notAssessed = {
  verdict: 'unknown',
  reason: 'not_assessed',
  governedBy: null,
  matchedBy: null,
} as const satisfies Verdict

/** Details by group and policy. */
export type DetailsOf = (group: SourceGroup, policyKey: string) => readonly SourceDetail[]

const detailKey = ({ directive, source, self, pageScheme }: Request, policyKey: string) =>
  JSON.stringify([directive, source, self, pageScheme, policyKey])

export function detailsOf(read: readonly SourceDetails[]): DetailsOf {
  const byKey = new Map(read.map((one) => [detailKey(one, one.policyKey), one.details]))
  return (group, policyKey) => byKey.get(detailKey(group, policyKey)) ?? []
}

/** Verdicts of a header's policies on groups, before the required paths and samples are read. */
export interface SourceVerdicts {
  /** Largest weight first. */
  readonly undecidedSources: readonly string[]
  /** One of each group and verdict at most, in the order of the groups. */
  readonly withDetails: (details: DetailsOf) => JudgedReports[]
}

export function judgeSources(
  candidates: readonly ParsedPolicy[],
  groups: readonly SourceGroup[],
  quotedOf: QuotedPolicies,
): SourceVerdicts {
  const judge = (quoted: ReturnType<QuotedPolicies>, request: ParsedRequest): Verdict =>
    quoted === 'unread' ? notAssessed : judgeByAll(candidates, quoted, request)
  const judgedGroups = groups.map((group) => {
    const known = new Map<unknown, Verdict>()
    const verdicts = group.quotes.map(({ policyKey }) => {
      const quoted = quotedOf(policyKey)
      const part = typeof quoted === 'object' ? (decisivePart(quoted, group.directive) ?? 'none') : quoted
      const verdict = known.get(part) ?? judge(quoted, group)
      known.set(part, verdict)
      return verdict
    })
    return { group, verdicts }
  })
  const undecided = judgedGroups.filter(({ verdicts }) => verdicts.some(isUndecided))
  return {
    undecidedSources: [...new Set(undecided.map(({ group }) => group.source))],
    withDetails: (details) =>
      judgedGroups.flatMap(({ group, verdicts }) => {
        const judged: Summed[] = []
        for (const [index, quote] of group.quotes.entries()) {
          const verdict = verdicts[index] as Verdict
          if (!isUndecided(verdict)) {
            add(judged, group, verdict, quote)
            continue
          }
          const read = details(group, quote.policyKey)
          const quoted = quotedOf(quote.policyKey)
          for (const found of read) {
            const { detail, isDetailCut } = found
            add(judged, group, judge(quoted, { ...requestOf(group), detail, isDetailCut }), found)
          }
          add(judged, group, notAssessed, remainder(quote, read))
        }
        return judged
      }),
  }
}

const requestOf = ({ directive, source, self, pageScheme, url }: SourceGroup) => ({
  directive,
  source,
  self,
  pageScheme,
  url,
})

const isUndecided = ({ reason }: Verdict) => reason === 'detail'

type Summed = { -readonly [Name in keyof JudgedReports]: JudgedReports[Name] }

function add(judged: Summed[], group: SourceGroup, found: Verdict, counted: Counted): void {
  const { reportCount, weight, noiseCount } = counted
  if (reportCount <= 0) return
  const { verdict, reason, governedBy, matchedBy } = found
  const same = judged.find(
    (one) =>
      one.verdict === verdict && one.reason === reason && one.governedBy === governedBy && one.matchedBy === matchedBy,
  )
  if (same) {
    same.reportCount += reportCount
    same.weight += weight
    same.noiseCount += noiseCount
  } else {
    const why = { verdict, reason: reason as CspVerdictReason | null, governedBy, matchedBy }
    judged.push({ group, ...why, reportCount, weight, noiseCount })
  }
}

/** Reports whose details were not read. */
function remainder(whole: Counted, read: readonly Counted[]): Counted {
  return read.reduce<Counted>(
    (rest, { reportCount, weight, noiseCount }) => ({
      reportCount: rest.reportCount - reportCount,
      weight: rest.weight - weight,
      noiseCount: rest.noiseCount - noiseCount,
    }),
    whole,
  )
}
