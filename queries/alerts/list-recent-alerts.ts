import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTexts, rowTime } from '../sql/rows.ts'
import { at, sql, uuid } from '../sql/sql.ts'

const row = z.object({
  eventType: z.string(),
  siteId: z.string().nullable(),
  summary: z.string(),
  occurredAt: rowTime,
  destinations: rowTexts,
  digestTo: rowTexts,
})

export type RecentAlert = z.infer<typeof row>

/** Alerts created within the time, oldest first. */
export const listRecentAlerts = (tenantId: string, from: Date, to: Date): Query<RecentAlert> => ({
  name: 'listRecentAlerts',
  statement: sql`
    SELECT event_type AS eventType, site_id AS siteId, summary, occurred_at AS occurredAt, destinations,
      digest_to AS digestTo
    FROM alerts FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND kind = 'immediate' AND detected_at >= ${at(from)}
      AND detected_at < ${at(to)}
    ORDER BY detected_at, id`,
  row,
})
