import { z } from 'zod'
import type { SiteRef } from '../pages/payment-pages.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, texts, uuid } from '../sql/sql.ts'

const ruleRow = z.object({ eventType: z.string(), destinationId: z.string() })

/** Events and destinations of enabled immediate alert rules for the site or for every site. */
export const listCoveringRules = ({ tenantId, siteId }: SiteRef): Query<z.infer<typeof ruleRow>> => ({
  name: 'listCoveringRules',
  statement: sql`
    SELECT DISTINCT event_type AS eventType, destination_id AS destinationId
    FROM alert_rules FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND kind = 'immediate' AND enabled
      AND (site_id IS NULL OR site_id = ${uuid(siteId)})
    ORDER BY destinationId, eventType`,
  row: ruleRow,
})

const outcomeRow = z.object({
  id: z.string(),
  name: z.string().nullable(),
  outcome: z.enum(['delivered', 'rejected', 'dropped']),
  at: rowTime,
})

export type DestinationOutcome = z.infer<typeof outcomeRow>

/** The latest delivery of any kind to each destination; a destination without one is omitted. */
export const listDestinationOutcomes = (tenantId: string, ids: readonly string[]): Query<DestinationOutcome> => ({
  name: 'listDestinationOutcomes',
  statement: sql`
    SELECT destination_id AS id,
      nullIf(argMax(destination_name, (created_at, alert_deliveries.id)), '') AS name,
      argMax(alert_deliveries.outcome, (created_at, alert_deliveries.id)) AS outcome,
      max(created_at) AS at
    FROM alert_deliveries FINAL
    WHERE tenant_id = ${uuid(tenantId)} AND destination_id IN ${texts(ids)}
    GROUP BY destination_id`,
  row: outcomeRow,
})
