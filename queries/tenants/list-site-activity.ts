import { z } from 'zod'
import { storedTypeNames } from '../../schema/report-types.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { atSecond, sql, texts, uuid } from '../sql/sql.ts'

const row = z.object({ siteId: z.string(), firstSeen: rowTime, lastSeen: rowTime })

export type SiteActivity = z.infer<typeof row>

/** Activity of every site with reports or script sightings since the start of a day, in no order. */
export function listSiteActivity(tenantId: string, from: Date): Query<SiteActivity> {
  return {
    name: 'listSiteActivity',
    statement: sql`
      SELECT value AS siteId, min(first_seen_at) AS firstSeen, max(last_seen_at) AS lastSeen
      FROM reports_per_day_by_value
      WHERE tenant_id = ${uuid(tenantId)} AND report_type IN ${texts(storedTypeNames)} AND dimension = 'siteId'
        AND bucket >= ${atSecond(from)}
      GROUP BY siteId`,
    row,
  }
}
