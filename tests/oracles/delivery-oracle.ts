import type { AlertDelivery } from '../../schema/responses/alert-delivery.ts'

/** Filters of a list of deliveries, as they are sent. */
export interface DeliveryFilters {
  readonly siteId?: string | undefined
  readonly destinationId?: string | undefined
  readonly eventType?: string | undefined
}

const isMet = (stored: string | null, filter: string | undefined) => filter === undefined || stored === filter

/** The contract's list of deliveries, computed the plain way over the same records. */
export function oracleDeliveries(
  records: readonly AlertDelivery[],
  { siteId, destinationId, eventType }: DeliveryFilters,
): AlertDelivery[] {
  return records
    .filter((one) => siteId === undefined || one.siteId === siteId || one.siteIds.includes(siteId))
    .filter((one) => isMet(one.destination.id, destinationId) && isMet(one.eventType, eventType))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1))
}
