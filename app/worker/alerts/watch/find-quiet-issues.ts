/** @module New issues with too little evidence for an immediate message: digests list them. */

import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listIssueTexts, listNewSightings, type Sighting } from '../../../../queries/issues/new-sightings.ts'
import { type AlertEvent, newIssueEvent } from '../../../../schema/alert-events.ts'
import { dayMs } from '../../../../schema/durations.ts'
import { groupBy } from '../../../../schema/rules/group-by.ts'
import { type MessageIssue, namedInMessage } from '../alert-message.ts'
import { covers } from './compose-alerts.ts'
import { newOf, rulesByBounds, toMessageIssue } from './find-new-issues.ts'

/** Issues of a day that a digest counts. */
const maxDigestIssues = 10_000

/**
 * New issues of the day before `at` without an alert, by destination: of the digest rules that cover an issue, otherwise
 * of the immediate rules.
 */
export async function findQuietIssues(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  { rules, at }: { readonly rules: readonly EnabledRule[]; readonly at: Date },
): Promise<ReadonlyMap<string, readonly Sighting[]>> {
  const since = new Date(at.getTime() - dayMs)
  const isDigest = ({ kind }: EnabledRule) => kind === 'digest'
  const byDestination = new Map<string, Map<bigint, Sighting>>()
  for (const own of rulesByBounds(rules)) {
    const wanted = { ...newOf(since, own), to: at, isBounded: false }
    for (const sighting of await read(listNewSightings(tenantId, wanted, maxDigestIssues))) {
      const change = { eventType: newIssueEvent as AlertEvent, siteId: sighting.siteId, occurredAt: sighting.firstSeen }
      const hasDigest = rules.some((rule) => isDigest(rule) && covers(rule, change))
      for (const { destinationId } of own.filter((rule) => covers(rule, change) && isDigest(rule) === hasDigest)) {
        const issues = byDestination.get(destinationId) ?? new Map()
        byDestination.set(destinationId, issues.set(sighting.key, sighting))
      }
    }
  }
  return new Map([...byDestination].map(([destinationId, issues]) => [destinationId, [...issues.values()]]))
}

/** The first issues of a digest, by site. */
export async function describeQuietIssues(
  { read }: Pick<Database, 'read'>,
  tenantId: string,
  sightings: readonly Sighting[],
): Promise<MessageIssue[]> {
  const bySite = groupBy(sightings.slice(0, namedInMessage), ({ siteId }) => siteId)
  const ofSites = [...bySite].map(async ([siteId, own]) => {
    const texts = await read(
      listIssueTexts(
        tenantId,
        siteId,
        own.map(({ key }) => key),
      ),
    )
    return texts.map((text) => ({ ...toMessageIssue(text), siteId }))
  })
  return (await Promise.all(ofSites)).flat()
}
