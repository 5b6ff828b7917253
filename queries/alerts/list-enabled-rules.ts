import { z } from 'zod'
import { alertEvents } from '../../schema/alert-events.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, texts } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  id: z.string(),
  /** Null for every site. */
  siteId: z.string().nullable(),
  eventType: z.enum(alertEvents),
  kind: z.enum(['immediate', 'digest']),
  destinationId: z.string(),
  /** Creation time: the rule covers later changes. */
  since: rowTime,
})

export type EnabledRule = z.infer<typeof row>

/**
 * Rules of all tenants with events that the worker finds and a destination that it has: imported rules can belong to
 * another system.
 */
export const listEnabledRules: Query<EnabledRule> = {
  name: 'listEnabledRules',
  statement: sql`
    SELECT tenant_id AS tenantId, id, site_id AS siteId, event_type AS eventType, kind,
      destination_id AS destinationId, updated_at AS since
    FROM alert_rules FINAL
    WHERE enabled AND event_type IN ${texts(alertEvents)} AND (tenant_id, destination_id) IN (
      SELECT tenant_id, id
      FROM alert_destinations FINAL
      WHERE NOT removed)
    ORDER BY tenantId, id`,
  row,
}
