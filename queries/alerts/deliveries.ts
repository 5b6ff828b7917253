import { z } from 'zod'
import {
  type Acknowledgement,
  type AlertDelivery,
  acknowledgement,
  alertDelivery,
} from '../../schema/responses/alert-delivery.ts'
import type { SiteRef } from '../pages/payment-pages.ts'
import { equals } from '../sql/matches.ts'
import type { PageOf, Query, TimePosition } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, empty, join, sql, text, texts, uint, uuid, uuids } from '../sql/sql.ts'

export interface DeliveryFilter {
  readonly id?: string | undefined
  /** Includes digests that covered the site. */
  readonly siteId?: string | undefined
  readonly destinationId?: string | undefined
  readonly eventType?: string | undefined
}

/** Destination in a row of alert_deliveries. */
const deliveryDestination = sql`(destination_id, nullIf(destination_name, ''), nullIf(destination_type, ''))
          ::Tuple(id String, name Nullable(String), type Nullable(String))`

/** Newest first, ties by id descending. */
export function listAlertDeliveries(
  tenantId: string,
  { id, siteId, destinationId, eventType }: DeliveryFilter,
  { after, limit }: PageOf<TimePosition<'createdAt'>>,
): Query<AlertDelivery> {
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    ...(siteId === undefined ? [] : [sql`(site_id = ${uuid(siteId)} OR has(site_ids, ${uuid(siteId)}))`]),
    ...equals('id', text, id),
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

const attemptRow = z.object({
  alertId: z.string(),
  destinationId: z.string(),
  count: rowCount,
  lastAt: rowTime,
  /** 1970 for any time. */
  retryAt: rowTime,
  /** Failure of the last attempt; '' if it was interrupted. */
  failure: z.string(),
})

export type Attempts = z.infer<typeof attemptRow>

export const listAttempts = (tenantIds: readonly string[], alertIds: readonly string[]): Query<Attempts> => ({
  name: 'listAttempts',
  statement: sql`
    SELECT alert_id AS alertId, destination_id AS destinationId, count() AS count, max(at) AS lastAt,
      argMax(retry_at, at) AS retryAt, argMax(alert_attempts.failure, at) AS failure
    FROM alert_attempts FINAL
    WHERE tenant_id IN ${uuids(tenantIds)} AND alert_id IN ${uuids(alertIds)}
    GROUP BY tenant_id, alert_id, destination_id`,
  row: attemptRow,
})

/** Empty for deliveries of other systems and of earlier releases. */
const scanIds = z.array(z.string())

const changeDeliveryRow = alertDelivery
  .omit({ kind: true, siteId: true, siteIds: true, summary: true })
  .extend({ scanIds })

/** Deliveries of immediate alerts about the site, oldest first, with any outcome. */
export const listChangeDeliveries = (
  { tenantId, siteId }: SiteRef,
  { eventTypes, since }: { readonly eventTypes: readonly string[]; readonly since: Date },
): Query<z.infer<typeof changeDeliveryRow>> => ({
  name: 'listChangeDeliveries',
  statement: sql`
    SELECT id, alert_id AS alertId, event_type AS eventType, outcome, nullIf(detail, '') AS detail,
      ${deliveryDestination} AS destination,
      scan_ids AS scanIds, created_at AS createdAt
    FROM alert_deliveries FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND created_at >= ${at(since)} AND site_id = ${uuid(siteId)}
      AND kind = 'immediate' AND event_type IN ${texts(eventTypes)}
    ORDER BY created_at, id`,
  row: changeDeliveryRow,
})

/** Acknowledgements of these deliveries, oldest first. @param until latest time of an acknowledgement. */
export const listAcknowledgements = (
  tenantId: string,
  deliveryIds: readonly string[],
  until?: Date,
): Query<Acknowledgement> => ({
  name: 'listAcknowledgements',
  statement: sql`
    SELECT delivery_id AS deliveryId, toString(id) AS id, acknowledged_by AS acknowledgedBy, note,
      nullIf(ticket, '') AS ticket, acknowledged_at AS acknowledgedAt
    FROM alert_acknowledgements FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND delivery_id IN ${texts(deliveryIds)}
      ${until ? sql`AND acknowledged_at <= ${at(until)}` : empty}
    ORDER BY acknowledged_at, toString(alert_acknowledgements.id)`,
  row: acknowledgement,
})
