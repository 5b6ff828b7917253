import type { z } from 'zod'
import { alertDelivery } from '../../schema/responses/alert-delivery.ts'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { at, sql, texts, uuid } from '../sql/sql.ts'
import { deliveryDestination } from './list-alert-deliveries.ts'

const row = alertDelivery.omit({ kind: true, siteId: true, siteIds: true, summary: true })

/** Deliveries of immediate alerts about the site, oldest first, with any outcome. */
export const listChangeDeliveries = (
  { tenantId, siteId }: SiteRef,
  { eventTypes, since }: { readonly eventTypes: readonly string[]; readonly since: Date },
): Query<z.infer<typeof row>> => ({
  name: 'listChangeDeliveries',
  statement: sql`
    SELECT id, alert_id AS alertId, event_type AS eventType, outcome, nullIf(detail, '') AS detail,
      ${deliveryDestination} AS destination,
      created_at AS createdAt
    FROM alert_deliveries FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND created_at >= ${at(since)} AND site_id = ${uuid(siteId)}
      AND kind = 'immediate' AND event_type IN ${texts(eventTypes)}
    ORDER BY created_at, id`,
  row,
})
