import type { Acknowledgement } from '../../schema/responses/alert-delivery.ts'
import { groupBy } from '../../schema/rules/group-by.ts'
import type { Read } from '../sql/query.ts'
import { listAcknowledgements } from './deliveries.ts'

/** Adds to each delivery its acknowledgements, oldest first. @param until latest time of an acknowledgement. */
export async function withAcknowledgements<Delivery extends { readonly id: string }>(
  read: Read,
  tenantId: string,
  deliveries: readonly Delivery[],
  until?: Date,
): Promise<(Delivery & { acknowledgements: Acknowledgement[] })[]> {
  const ids = deliveries.map(({ id }) => id)
  const found = ids.length === 0 ? [] : await read(listAcknowledgements(tenantId, ids, until))
  const byDelivery = groupBy(found, ({ deliveryId }) => deliveryId)
  return deliveries.map((delivery) => ({ ...delivery, acknowledgements: byDelivery.get(delivery.id) ?? [] }))
}
