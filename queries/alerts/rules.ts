import { z } from 'zod'
import { destinationTypes } from '../../schema/alert-destination.ts'
import { alertEvents } from '../../schema/alert-events.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql, texts, uuid } from '../sql/sql.ts'

const ruleColumns = sql`id, site_id AS siteId, event_type AS eventType, kind, destination_id AS destinationId, enabled`

const alertRuleRow = z.object({
  id: z.string(),
  siteId: z.string().nullable(),
  eventType: z.string(),
  kind: z.enum(['immediate', 'digest']),
  destinationId: z.string(),
  enabled: z.boolean(),
})

const wholeRuleRow = alertRuleRow
  .extend({ minReports: rowCount, minBrowsers: rowCount })
  .transform(({ minReports, minBrowsers, ...rule }) => ({
    ...rule,
    ...(minReports && { minReports }),
    ...(minBrowsers && { minBrowsers }),
  }))

/** With the bounds of new issues, which PCI evidence omits. */
export const listWholeRules = (tenantId: string): Query<z.infer<typeof wholeRuleRow>> => ({
  name: 'listWholeRules',
  statement: sql`
    SELECT ${ruleColumns}, min_reports AS minReports, min_browsers AS minBrowsers
    FROM alert_rules FINAL
    WHERE tenant_id = ${uuid(tenantId)}
    ORDER BY eventType, id`,
  row: wholeRuleRow,
})

/** Imported and disabled ones too. */
export const listAlertRules = (tenantId: string): Query<z.infer<typeof alertRuleRow>> => ({
  name: 'listAlertRules',
  statement: sql`
    SELECT ${ruleColumns}
    FROM alert_rules FINAL
    WHERE tenant_id = ${uuid(tenantId)}
    ORDER BY eventType, id`,
  row: alertRuleRow,
})

const enabledRuleRow = z.object({
  tenantId: z.string(),
  id: z.string(),
  /** Null for every site. */
  siteId: z.string().nullable(),
  eventType: z.enum(alertEvents),
  kind: z.enum(['immediate', 'digest']),
  destinationId: z.string(),
  /** Evidence of a new issue; 0 in both for the default bounds. */
  minReports: rowCount,
  minBrowsers: rowCount,
  /** Creation time: the rule covers later changes. */
  since: rowTime,
})

export type EnabledRule = z.infer<typeof enabledRuleRow>

/**
 * Rules of all tenants with events that the worker finds and a destination that it has: imported rules can belong to
 * another system.
 */
export const listEnabledRules: Query<EnabledRule> = {
  name: 'listEnabledRules',
  statement: sql`
    SELECT tenant_id AS tenantId, id, site_id AS siteId, event_type AS eventType, kind,
      destination_id AS destinationId, min_reports AS minReports, min_browsers AS minBrowsers, updated_at AS since
    FROM alert_rules FINAL
    WHERE enabled AND event_type IN ${texts(alertEvents)} AND (tenant_id, destination_id) IN (
      SELECT tenant_id, id
      FROM alert_destinations FINAL
      WHERE NOT removed)
    ORDER BY tenantId, id`,
  row: enabledRuleRow,
}

const destinationRow = z.object({
  tenantId: z.string(),
  id: z.string(),
  name: z.string(),
  type: z.enum(destinationTypes),
  /** See app/worker/alerts/deliver/seal.ts. */
  sealed: z.string(),
  createdAt: rowTime,
})

export type StoredDestination = z.infer<typeof destinationRow>

/** Oldest first, without removed ones. @param tenantId undefined for all tenants. */
export function listDestinations(tenantId?: string): Query<StoredDestination> {
  const ofTenant = tenantId === undefined ? sql`true` : sql`tenant_id = ${uuid(tenantId)}`
  return {
    name: 'listDestinations',
    statement: sql`
      SELECT tenant_id AS tenantId, id, name, type, sealed, created_at AS createdAt
      FROM alert_destinations FINAL
      WHERE ${ofTenant} AND NOT removed
      ORDER BY createdAt, id`,
    row: destinationRow,
  }
}
