import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({
  eventType: z.string(),
  /** When it first reached a destination. */
  createdAt: rowTime,
})

/** An immediate alert that reached someone. */
export type DeliveredAlert = z.infer<typeof row>

/** The immediate alerts about a site that were delivered since a moment, of some event types: each once, oldest first. */
export function listDeliveredAlerts(
  tenantId: string,
  siteId: string,
  eventTypes: readonly string[],
  since: Date,
): Query<DeliveredAlert> {
  return {
    name: 'listDeliveredAlerts',
    statement: sql`SELECT event_type AS eventType, min(alert_deliveries.created_at) AS createdAt FROM alert_deliveries FINAL WHERE tenant_id = ${uuid(tenantId)} AND created_at >= ${at(since)} AND site_id = ${uuid(siteId)} AND kind = 'immediate' AND outcome = 'delivered' AND event_type IN ${texts(eventTypes)} GROUP BY alert_id, event_type ORDER BY createdAt`,
    row,
  }
}
