/** @module Reads a site's groups of CSP reports, and judges them by a policy. */

import type { CspSourceFilter } from '../../../queries/csp-policies/csp-source-rows.ts'
import { listCspSourceDetails, maxDetailedSources } from '../../../queries/csp-policies/list-csp-source-details.ts'
import { type CspSource, listCspSources } from '../../../queries/csp-policies/list-csp-sources.ts'
import type { ParsedPolicy } from '../../../queries/rules/csp/governing-directive.ts'
import {
  detailsOf,
  type JudgedReports,
  judgeSources,
  type QuotedPolicies,
  sourcesToDetail,
} from '../../../queries/rules/csp/judge-sources.ts'
import { addTallies, type Tally } from '../../../queries/rules/weights.ts'
import type { Reader } from '../../../queries/sql/query.ts'

export interface JudgedSite {
  readonly judged: readonly JudgedReports[]
  /** Reports beyond the groups that one read takes. */
  readonly rest: Tally
  readonly judgeAgain: (policy: ParsedPolicy) => JudgedReports[]
}

export async function readJudged(
  { read, readAll }: Reader,
  filter: CspSourceFilter,
  candidate: ParsedPolicy,
  quoted: QuotedPolicies | Promise<QuotedPolicies>,
): Promise<JudgedSite> {
  const [groups, quotedOf] = await Promise.all([read(listCspSources(filter)), quoted])
  const sources = sourcesToDetail(candidate, groups, quotedOf).slice(0, maxDetailedSources)
  const details = detailsOf(await readAll(listCspSourceDetails({ ...filter, sources })))
  const judgeAgain = (policy: ParsedPolicy) => judgeSources(policy, groups, quotedOf, details)
  return { judged: judgeAgain(candidate), rest: beyond(groups), judgeAgain }
}

function beyond(groups: readonly CspSource[]): Tally {
  const [first] = groups
  if (!first) return { reportCount: 0, weight: 0n }
  const read = addTallies(groups.flatMap(({ quotes }) => quotes))
  return { reportCount: first.totalReportCount - read.reportCount, weight: first.totalWeight - read.weight }
}
