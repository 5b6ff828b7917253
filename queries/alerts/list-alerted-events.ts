import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ eventType: z.string() })

/** Event types with an enabled immediate alert rule for the site or for every site. */
export function listAlertedEvents(tenantId: string, siteId: string): Query<z.infer<typeof row>> {
  return {
    name: 'listAlertedEvents',
    statement: sql`
      SELECT DISTINCT event_type AS eventType
      FROM alert_rules FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND kind = 'immediate' AND enabled
        AND (site_id IS NULL OR site_id = ${uuid(siteId)})`,
    row,
  }
}
