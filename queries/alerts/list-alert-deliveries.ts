import { type AlertDelivery, alertDelivery } from '../../schema/responses/alert-delivery.ts'
import { equals } from '../sql/equals.ts'
import type { PageOf, Query } from '../sql/query.ts'
import { at, join, sql, text, uint, uuid } from '../sql/sql.ts'
import type { TimePosition } from '../sql/time-position.ts'

export interface DeliveryFilter {
  /** Includes digests that covered the site. */
  readonly siteId?: string | undefined
  readonly destinationId?: string | undefined
  readonly eventType?: string | undefined
}

/** Destination in a row of alert_deliveries. */
export const deliveryDestination = sql`(destination_id, nullIf(destination_name, ''), nullIf(destination_type, ''))
          ::Tuple(id String, name Nullable(String), type Nullable(String))`

/** Newest first, ties by id descending. */
export function listAlertDeliveries(
  tenantId: string,
  { siteId, destinationId, eventType }: DeliveryFilter,
  { after, limit }: PageOf<TimePosition<'createdAt'>>,
): Query<AlertDelivery> {
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    ...(siteId === undefined ? [] : [sql`(site_id = ${uuid(siteId)} OR has(site_ids, ${uuid(siteId)}))`]),
    ...equals('destination_id', text, destinationId),
    ...equals('event_type', text, eventType),
    ...(after ? [isAfter(after)] : []),
  ]
  return {
    name: 'listAlertDeliveries',
    statement: sql`
      SELECT id, alert_id AS alertId, kind, outcome, nullIf(detail, '') AS detail,
        ${deliveryDestination} AS destination,
        nullIf(event_type, '') AS eventType, site_id AS siteId, site_ids AS siteIds, nullIf(summary, '') AS summary,
        created_at AS createdAt
      FROM alert_deliveries FINAL
      WHERE ${join(conditions, ' AND ')}
      ORDER BY created_at DESC, id DESC
      LIMIT ${uint(limit)}`,
    row: alertDelivery,
  }
}

/** The primary key can use the bound before the tuple comparison. */
function isAfter({ createdAt, id }: TimePosition<'createdAt'>) {
  const time = at(new Date(createdAt))
  return sql`created_at <= ${time} AND (created_at, id) < (${time}, ${text(id)})`
}
