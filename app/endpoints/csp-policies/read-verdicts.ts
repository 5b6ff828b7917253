/** @module Reads a site's groups of CSP reports, and judges them by a policy. */

import { listCspSourceDetails, maxDetailedSources } from '../../../queries/csp-policies/csp-source-details.ts'
import { type CspSource, type CspSourceFilter, listCspSources } from '../../../queries/csp-policies/csp-sources.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import type { ParsedPolicy } from '../../../schema/rules/csp/governing-directive.ts'
import {
  detailsOf,
  type JudgedReports,
  judgeSources,
  type QuotedPolicies,
} from '../../../schema/rules/csp/judge-sources.ts'
import { addTallies, type Tally } from '../../../schema/rules/weights.ts'

export interface SiteVerdicts {
  readonly judged: readonly JudgedReports[]
  /** Reports beyond the groups that one read returns. */
  readonly rest: Tally
  readonly judgeAgain: (policy: ParsedPolicy) => JudgedReports[]
}

export async function readVerdicts(
  { read, readAll }: Reader,
  filter: CspSourceFilter,
  candidates: readonly ParsedPolicy[],
  quoted: QuotedPolicies | Promise<QuotedPolicies>,
  known?: readonly string[],
): Promise<SiteVerdicts> {
  const [groups, quotedOf] = await Promise.all([read(listCspSources(filter, known)), quoted])
  const verdicts = judgeSources(candidates, groups, quotedOf)
  const sources = verdicts.undecidedSources.slice(0, maxDetailedSources)
  const details = detailsOf(await readAll(listCspSourceDetails({ ...filter, sources })))
  const judgeAgain = (policy: ParsedPolicy) => judgeSources([policy], groups, quotedOf).withDetails(details)
  return { judged: verdicts.withDetails(details), rest: beyond(groups), judgeAgain }
}

/** True if one read did not return the group, policy or details of some reports. */
export const hasUnassessed = (judged: readonly JudgedReports[], rest: Tally): boolean =>
  rest.reportCount > 0 || judged.some(({ reason }) => reason === 'not_assessed')

function beyond(groups: readonly CspSource[]): Tally {
  const [first] = groups
  if (!first) return { reportCount: 0, weight: 0n }
  const read = addTallies(groups.map(({ quotes }) => addTallies(quotes)))
  return { reportCount: first.totalReportCount - read.reportCount, weight: first.totalWeight - read.weight }
}
