/** @module Minutes in which a site sent more reports than its budget, so that the collector stored a share. */

import { z } from 'zod'
import { planNames, reportsPerMinute } from '../../schema/plans.ts'
import { storedTypeNames } from '../../schema/report-types.ts'
import { unitWeight } from '../../schema/stored-report.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { atSecond, join, type Sql, sql, text, texts, uint, uuid } from '../sql/sql.ts'
import { perSite } from './list-traffic-changes.ts'

const flood = z.object({
  siteId: z.string(),
  /** Start of its first minute of the UTC day. */
  startedAt: rowTime,
  minutes: rowCount,
  /** In these minutes, and how many the browsers sent. */
  stored: rowCount,
  sent: rowCount,
})

export type Flood = z.infer<typeof flood>

/** Budgets of the sites of a tenant: their own, or that of the plan. */
function budgets(tenantId: string): Sql {
  const cases = planNames.map((plan) => sql`WHEN ${text(plan)} THEN ${uint(reportsPerMinute[plan])}`)
  const ofPlan = sql`CASE toString(plan) ${join(cases, ' ')} ELSE 0 END`
  return sql`
    SELECT id, if(max_reports_per_minute > 0, max_reports_per_minute, (
      SELECT ${ofPlan} FROM tenants FINAL WHERE id = ${uuid(tenantId)})) AS budget
    FROM sites FINAL
    WHERE tenant_id = ${uuid(tenantId)}`
}

/**
 * Sites and UTC days since then with minutes in which the collector stored the site's budget or more, and only a share.
 * Reads the reports of sites with sampled reports alone.
 */
export const listFloods = (tenantId: string, since: Date): Query<Flood> => ({
  name: 'listFloods',
  statement: sql`
    SELECT site_id AS siteId, toDateTime64(min(minute), 3, 'UTC') AS startedAt, count() AS minutes,
      sum(reports) AS stored, toUInt64(round(sum(weight) / ${uint(unitWeight)})) AS sent
    FROM (
      SELECT site_id, toStartOfMinute(received_at) AS minute, count() AS reports, sum(weight) AS weight
      FROM reports
      WHERE tenant_id = ${uuid(tenantId)} AND report_type IN ${texts(storedTypeNames)}
        AND received_at >= ${atSecond(since)} AND site_id IN (
          SELECT toUUID(value)
          FROM reports_per_hour_by_value_time_ordered
          WHERE ${perSite(tenantId)} AND bucket >= ${atSecond(since)}
          GROUP BY value
          HAVING sum(weight) > sum(report_count) * ${uint(unitWeight)})
      GROUP BY site_id, minute
      HAVING weight > reports * ${uint(unitWeight)}) AS minutes
    INNER JOIN (${budgets(tenantId)}) AS sites ON sites.id = minutes.site_id
    WHERE reports >= budget
    GROUP BY site_id, toDate(minute)
    ORDER BY siteId, startedAt`,
  row: flood,
})
