import { listRecentAlerts, type RecentAlert } from '../../../../queries/alerts/alerts.ts'
import { dayMs, hourMs } from '../../../../schema/durations.ts'
import { namedInMessage } from '../alert-message.ts'
import { storeAlert } from './store-alert.ts'
import type { Watch } from './watch-tenant.ts'

/** The latest time that was a digest hour of UTC. */
export function lastDigestAt(now: Date, digestHour: number): Date {
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs
  const today = midnight + digestHour * hourMs
  return new Date(today <= now.getTime() ? today : today - dayMs)
}

/** One message per destination for the day before `at`; none for a day without alerts. */
export async function makeDigests({ database, now, checkLease }: Watch, tenantId: string, at: Date): Promise<void> {
  const alerts = await database.read(listRecentAlerts(tenantId, new Date(at.getTime() - dayMs), at))
  const destinations = [...new Set(alerts.flatMap(({ digestTo }) => digestTo))]
  if (destinations.length > 0) await checkLease()
  for (const destination of destinations) {
    const own = alerts.filter(({ digestTo }) => digestTo.includes(destination))
    const siteIds = [...new Set(own.flatMap(({ siteId }) => siteId ?? []))]
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
      message: { type: 'digest', timestamp: at.toISOString(), data: digestOf(own, siteIds) },
    })
  }
}

function digestOf(alerts: readonly RecentAlert[], siteIds: readonly string[]) {
  const sites = siteIds.length === 1 ? '1 site' : `${siteIds.length.toLocaleString('en')} sites`
  const count = alerts.length === 1 ? '1 alert' : `${alerts.length.toLocaleString('en')} alerts`
  return {
    summary: `Daily digest: ${count} of ${sites}`,
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
