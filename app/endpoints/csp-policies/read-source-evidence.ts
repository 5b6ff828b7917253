/** @module Reads additional evidence about the sources in a policy's reports. */

import { listCspEvidence } from '../../../queries/csp-policies/csp-source-details.ts'
import { listFirstSightings } from '../../../queries/issues/first-sightings.ts'
import { type DecidedScript, listDecidedScripts } from '../../../queries/scripts/decisions.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { findSiteHosts } from '../../../queries/tenants/sites.ts'
import { confidence } from '../../../schema/rules/confidence.ts'
import type { SourceEvidence } from '../../../schema/rules/csp/advice-reasons.ts'
import type { AdvisableSource } from '../../../schema/rules/csp/advisable-sources.ts'
import { isScript } from '../../../schema/rules/csp/governing-directive.ts'
import type { createKnownSources } from '../../../schema/rules/csp/known-sources.ts'
import { blockedUrl } from '../../../schema/rules/csp/match-url.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import type { TimeRange } from '../../../schema/rules/time/time-range.ts'
import { bypassingOrigins } from './evaluate-policy.ts'
import { issueOfSource } from './issue-of-source.ts'
import { createSiteRelation, isSharedHost } from './site-relation.ts'

interface EvidenceRequest {
  readonly known: ReturnType<typeof createKnownSources>
  readonly tenantId: string
  readonly siteId: string
  readonly window: TimeRange
}

/** Origins passed to csp_evaluator at once, all that can be allowed: 400 take 65 ms of the event loop. */
const maxEvaluated = 200

export type EvidenceOf = (found: AdvisableSource) => SourceEvidence | undefined

/** @param sources those first that can be allowed. */
export async function readSourceEvidence(
  { read, readAll }: Reader,
  { tenantId, siteId, window, known }: EvidenceRequest,
  sources: readonly AdvisableSource[],
): Promise<EvidenceOf> {
  const keys = [...new Set(sources.map((found) => issueOfSource(siteId, found)))]
  const issuesOfSite = keys.map((key) => ({ siteId, reportType: 'csp-violation' as const, key }))
  const [issues, first, decided, [site]] = await Promise.all([
    readAll(listCspEvidence({ tenantId, siteId, window }, keys)),
    readAll(listFirstSightings(tenantId, issuesOfSite)),
    read(listDecidedScripts(tenantId, siteId)),
    read(findSiteHosts(tenantId, siteId)),
  ])
  const issueOf = new Map(issues.map((issue) => [issue.key, issue]))
  const firstOf = new Map(first.map(({ key, firstSeenEver }) => [key, Date.parse(firstSeenEver)]))
  const partyOf = createSiteRelation(site?.hosts ?? [])
  const scriptsOf = decisionsByHost(decided)
  const origins = sources.filter(({ directive, url }) => isScript(directive) && url)
  const bypasses = bypassingOrigins([...new Set(origins.map(({ source }) => source))].slice(0, maxEvaluated))
  return (found) => {
    const key = issueOfSource(siteId, found)
    const issue = issueOf.get(key)
    const host = found.url?.host
    if (!issue) return undefined
    const { reportCount, noiseCount, affectedPages, browsers } = issue
    return {
      confidence: confidence({ reportCount, noiseCount, browserFamilyCount: browsers.length }),
      pageCount: affectedPages,
      browsers,
      firstSeenEver: firstOf.get(key) ?? Date.parse(found.firstSeen),
      party: partyOf(host, found.isSelf),
      isShared: host !== undefined && isSharedHost(host),
      isBypass: bypasses.has(found.source),
      scripts: scriptsOf(host),
      knownBy: known.knownBy(found),
      isRejected: known.isRejected(found),
    }
  }
}

/** For a host with several scripts, a rejection takes precedence over an authorization. */
function decisionsByHost(decided: readonly DecidedScript[]) {
  const byHost = groupBy(decided, ({ url }) => blockedUrl(url)?.host)
  return (host: string | undefined): SourceEvidence['scripts'] => {
    if (decided.length === 0) return undefined
    const statuses = (byHost.get(host) ?? []).map(({ status }) => status)
    if (statuses.includes('rejected')) return 'rejected'
    return statuses.length > 0 ? 'authorized' : 'undecided'
  }
}
