import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTexts, rowTime } from '../sql/rows.ts'
import { at, sql } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  alertId: z.string(),
  destinationId: z.string(),
  kind: z.enum(['immediate', 'digest', 'test']),
  eventType: z.string(),
  siteId: z.string().nullable(),
  siteIds: rowTexts,
  summary: z.string(),
  payload: z.string(),
  detectedAt: rowTime,
})

export type PendingAlert = z.infer<typeof row>

/** Alerts of all tenants by destination, oldest first, that have no delivery; a site that is deleted loses its deliveries first. */
export const listPendingAlerts = (since: Date): Query<PendingAlert> => ({
  name: 'listPendingAlerts',
  statement: sql`
    SELECT tenant_id AS tenantId, toString(alerts.id) AS alertId, arrayJoin(destinations) AS destinationId, kind,
      event_type AS eventType, site_id AS siteId, site_ids AS siteIds, summary, payload, detected_at AS detectedAt
    FROM alerts FINAL
    WHERE detected_at >= ${at(since)} AND (tenantId, alertId, destinationId) NOT IN (
      SELECT tenant_id, alert_id, destination_id
      FROM alert_deliveries
      WHERE created_at >= ${at(since)})
      AND (site_id IS NULL OR (tenant_id, assumeNotNull(site_id)) IN (SELECT tenant_id, id FROM sites FINAL))
    ORDER BY detectedAt, alertId, destinationId`,
  row,
})
