import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({ alertId: z.string(), eventType: z.string(), createdAt: rowTime })

export type DeliveredAlert = z.infer<typeof row>

/** Immediate alerts, oldest first, each once: `createdAt` is the first delivery to any destination. */
export function listDeliveredAlerts(
  tenantId: string,
  siteId: string,
  { eventTypes, since }: { readonly eventTypes: readonly string[]; readonly since: Date },
): Query<DeliveredAlert> {
  return {
    name: 'listDeliveredAlerts',
    statement: sql`
      SELECT alert_id AS alertId, event_type AS eventType, min(alert_deliveries.created_at) AS createdAt
      FROM alert_deliveries FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND created_at >= ${at(since)} AND site_id = ${uuid(siteId)}
        AND kind = 'immediate' AND outcome = 'delivered' AND event_type IN ${texts(eventTypes)}
      GROUP BY alert_id, event_type
      ORDER BY createdAt`,
    row,
  }
}
