import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import { storedTypeNames } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { sliceTables } from '../rollups/table-slices.ts'
import { bucketTime, rawTime } from '../rollups/time-column.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { join, sql, texts } from '../sql/sql.ts'

const row = z.object({ siteId: z.string(), firstSeen: rowTime, lastSeen: rowTime })

export type SiteActivity = z.infer<typeof row>

const byDay = { table: 'reports_per_day_by_value', grains: [dayMs], time: bucketTime }
const raw = { table: 'reports', grains: [1], time: rawTime }

/** After every report: 32-bit times end in 2106. */
const endOfTimes = Date.UTC(2106, 0)

/** Lists each site with reports or sightings of scripts since the start of a day, in no order. */
export function listSiteActivity(tenantId: string, since: Omit<TimeRange, 'to'>): Query<SiteActivity> {
  const ofTypes = sql`report_type IN ${texts(storedTypeNames)}`
  const slices = sliceTables([byDay, raw], tenantId, [{ ...since, to: endOfTimes }], (table) =>
    table === raw ? [ofTypes] : [ofTypes, sql`dimension = 'siteId'`],
  ).map(({ table, from }) =>
    table === raw
      ? sql`SELECT toString(site_id) AS siteId, min(received_at) AS first_at, max(received_at) AS last_at ${from} GROUP BY siteId`
      : sql`SELECT value AS siteId, min(first_seen_at) AS first_at, max(last_seen_at) AS last_at ${from} GROUP BY siteId`,
  )
  return {
    name: 'listSiteActivity',
    statement: sql`
      SELECT siteId, min(first_at) AS firstSeen, max(last_at) AS lastSeen
      FROM (${join(slices, ' UNION ALL ')})
      GROUP BY siteId`,
    row,
  }
}
