import type { PendingAlert } from '../../../../queries/alerts/alerts.ts'
import type { StoredDestination } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { listSites } from '../../../../queries/tenants/sites.ts'
import { watchedEvents } from '../../../../schema/pci.ts'
import { importObjects } from '../../../import/records/import-objects.ts'
import { alertDeliveries } from '../../../import/records/types/alert-deliveries.ts'

export interface DeliveryOutcome {
  readonly outcome: 'delivered' | 'rejected' | 'dropped'
  /** Null for a successful delivery. */
  readonly detail: string | null
}

const uuidLength = 36

/** Events whose subjects begin with the id of their scan. */
const ofScans: readonly string[] = watchedEvents

/** Scans of an alert. A script of earlier releases has two words, and names none. */
const scanIdsOf = (subjects: readonly string[]) => [
  ...new Set(subjects.flatMap((subject) => (subject.split(' ').length === 2 ? [] : subject.slice(0, uuidLength)))),
]

interface Delivered {
  readonly deliveryId: string
  readonly alert: PendingAlert
  /** Undefined if it was removed. */
  readonly destination: Pick<StoredDestination, 'name' | 'type'> | undefined
  readonly at: Date
}

/**
 * Imports one delivery, which removes the alert from the outbox. If two workers record it, only the first record is
 * stored. A site deleted in the meantime is omitted, with its details.
 */
export async function recordDelivery(
  database: Pick<Database, 'read' | 'insert'>,
  { deliveryId, alert, destination, at }: Delivered,
  { outcome, detail }: DeliveryOutcome,
): Promise<void> {
  const { tenantId, alertId, destinationId, kind, eventType, siteId, siteIds, subjects, summary } = alert
  const delivery = {
    id: deliveryId,
    alertId,
    kind,
    outcome,
    detail,
    createdAt: at.toISOString(),
    siteId,
    siteIds,
    destination: { id: destinationId, name: destination?.name ?? null, type: destination?.type ?? null },
    eventType: eventType || null,
    scanIds: ofScans.includes(eventType) ? scanIdsOf(subjects) : [],
    summary: kind === 'immediate' ? summary : null,
  }
  const store = (record: object) =>
    importObjects({ type: alertDeliveries, database, tenantId, token: deliveryId }, [record])
  try {
    await store(delivery)
  } catch {
    const sites = new Set((await database.read(listSites(tenantId))).map(({ id }) => id))
    const isDeleted = siteId !== null && !sites.has(siteId)
    await store({
      ...delivery,
      siteIds: siteIds.filter((id) => sites.has(id)),
      ...(isDeleted && { siteId: null, summary: null }),
    })
  }
}
