import type { AlertDelivery } from '../../schema/replies/alert-delivery.ts'

/** Filters of a list of deliveries, as they are sent. */
export interface DeliveryFilters {
  readonly siteId?: string | undefined
  readonly destinationId?: string | undefined
  readonly eventType?: string | undefined
}

/** `_` stands for any one character; everything else for itself. */
function meets(stored: string | null, filter: string | undefined): boolean {
  if (filter === undefined) return true
  if (stored === null || stored.length !== filter.length) return false
  return [...filter].every((character, index) => character === '_' || character === stored[index])
}

/** The contract's list of deliveries, computed the plain way over the same records. */
export function oracleDeliveries(
  records: readonly AlertDelivery[],
  { siteId, destinationId, eventType }: DeliveryFilters,
): AlertDelivery[] {
  return records
    .filter((one) => siteId === undefined || one.siteId === siteId || one.siteIds.includes(siteId))
    .filter((one) => meets(one.destination.id, destinationId) && meets(one.eventType, eventType))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1))
}
