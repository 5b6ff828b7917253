import { listRecentAlerts, type RecentAlert } from '../../../../queries/alerts/alerts.ts'
import type { EnabledRule } from '../../../../queries/alerts/rules.ts'
import { dayMs, hourMs } from '../../../../schema/durations.ts'
import { namedInMessage } from '../alert-message.ts'
import { describeQuietIssues, findQuietIssues } from './find-quiet-issues.ts'
import { storeAlert } from './store-alert.ts'
import type { Watch } from './watch-tenant.ts'

/** The latest time that was a digest hour of UTC. */
export function lastDigestAt(now: Date, digestHour: number): Date {
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs
  const today = midnight + digestHour * hourMs
  return new Date(today <= now.getTime() ? today : today - dayMs)
}

interface Digests {
  readonly rules: readonly EnabledRule[]
  readonly at: Date
}

/** One message per destination for the day before `at`; none for a day without alerts and new issues. */
export async function makeDigests(
  { database, now, checkLease }: Watch,
  tenantId: string,
  { rules, at }: Digests,
): Promise<void> {
  const alerts = await database.read(listRecentAlerts(tenantId, new Date(at.getTime() - dayMs), at))
  const quiet = await findQuietIssues(database, tenantId, { rules, at })
  const destinations = [...new Set([...alerts.flatMap(({ digestTo }) => digestTo), ...quiet.keys()])]
  if (destinations.length > 0) await checkLease()
  for (const destination of destinations) {
    const own = alerts.filter(({ digestTo }) => digestTo.includes(destination))
    const found = quiet.get(destination) ?? []
    const siteIds = [...new Set([...own, ...found].flatMap(({ siteId }) => siteId ?? []))]
    const issues = await describeQuietIssues(database, tenantId, found)
    const ofIssues = found.length > 0 ? { issues, issueCount: found.length } : {}
    await storeAlert(database, {
      tenantId,
      kind: 'digest',
      eventType: '',
      siteId: null,
      siteIds,
      subjects: [],
      digestTo: [],
      destinations: [destination],
      detectedAt: now,
      name: ['digest', destination, at.toISOString()],
      message: {
        type: 'digest',
        timestamp: at.toISOString(),
        data: { ...digestOf(own, siteIds, found.length), ...ofIssues },
      },
    })
  }
}

function digestOf(alerts: readonly RecentAlert[], siteIds: readonly string[], issueCount: number) {
  const sites = siteIds.length === 1 ? '1 site' : `${siteIds.length.toLocaleString('en')} sites`
  const countOf = (count: number, what: string) =>
    count > 0 ? [`${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`] : []
  const counts = [
    ...countOf(alerts.length, 'alert'),
    ...countOf(issueCount, 'new issue').map((text) => `${text} with few reports`),
  ]
  return {
    summary: `Daily digest: ${counts.join(' and ')} of ${sites}`,
    alertCount: alerts.length,
    siteIds: siteIds.slice(0, namedInMessage),
    alerts: alerts.slice(0, namedInMessage).map(({ eventType, siteId, summary, occurredAt }) => ({
      type: eventType,
      siteId,
      summary,
      timestamp: occurredAt,
    })),
  }
}
