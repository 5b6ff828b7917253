import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({
  id: z.string(),
  siteId: z.string().nullable(),
  eventType: z.string(),
  kind: z.enum(['immediate', 'digest']),
  destinationId: z.string(),
  enabled: z.boolean(),
})

/** Imported and disabled ones too. */
export const listAlertRules = (tenantId: string): Query<z.infer<typeof row>> => ({
  name: 'listAlertRules',
  statement: sql`
    SELECT id, site_id AS siteId, event_type AS eventType, kind, destination_id AS destinationId, enabled
    FROM alert_rules FINAL
    WHERE tenant_id = ${uuid(tenantId)}
    ORDER BY eventType, id`,
  row,
})
