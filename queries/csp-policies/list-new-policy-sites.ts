import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, type Sql, sql, uuid } from '../sql/sql.ts'

const row = z.object({
  siteId: z.string(),
  /** The site's first report that violates a policy. */
  firstSeen: rowTime,
})

const ofTenant = (tenantId: string): Sql => sql`tenant_id = ${uuid(tenantId)} AND report_type = 'csp-violation'`

/** Sites with reports since then that quote a new policy, at least a day after the site's first report. */
export const listNewPolicySites = (tenantId: string, since: Date): Query<z.infer<typeof row>> => ({
  name: 'listNewPolicySites',
  statement: sql`
    SELECT site_id AS siteId, min(first_at) AS firstSeen
    FROM (
      SELECT site_id, disposition, policy_key, min(first_seen_at) AS first_at
      FROM reports_per_day_by_page
      WHERE ${ofTenant(tenantId)} AND site_id IN (
        SELECT site_id
        FROM reports_per_day_by_page
        WHERE ${ofTenant(tenantId)} AND bucket >= ${at(new Date(since.getTime() - dayMs))})
      GROUP BY site_id, disposition, policy_key)
    GROUP BY siteId
    HAVING maxIf(first_at, policy_key != 0) >= greatest(${at(since)}, firstSeen + toIntervalDay(1))
    ORDER BY siteId`,
  row,
})
