import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import { storedTypeNames } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { bucketTime, rawTime } from '../rollups/columns.ts'
import { sliceTables } from '../rollups/table-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { atSecond, join, sql, texts } from '../sql/sql.ts'

const newestReportRow = z.object({ siteId: z.string(), newestAt: rowTime })

/**
 * Newest reports of all sites of all tenants since the start of a day, for metrics: one row per site, type and day is
 * read.
 */
export function listNewestReports(from: Date): Query<z.infer<typeof newestReportRow>> {
  return {
    name: 'listNewestReports',
    statement: sql`
      SELECT value AS siteId, max(last_seen_at) AS newestAt
      FROM reports_per_day_by_value
      WHERE dimension = 'siteId' AND bucket >= ${atSecond(from)}
      GROUP BY siteId`,
    row: newestReportRow,
    pool: 'lookup',
  }
}

const siteActivityRow = z.object({ siteId: z.string(), firstSeen: rowTime, lastSeen: rowTime })

export type SiteActivity = z.infer<typeof siteActivityRow>

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
    row: siteActivityRow,
  }
}

const oldestWaitingRow = z.object({ oldestAt: rowTime.nullable(), seconds: rowCount, hosts: z.array(z.string()) })

/**
 * Time of receipt and age of the oldest report waiting in a collector's log, null for none, and the hosts. Collectors
 * without a record in the last hour do not count: their reports may be lost.
 */
export const findOldestWaiting: Query<z.infer<typeof oldestWaitingRow>> = {
  name: 'findOldestWaiting',
  statement: sql`
    SELECT min(oldest_at) AS oldestAt, toUInt64(greatest(0, ifNull(dateDiff('second', oldestAt, now64(3)), 0))) AS seconds,
      groupUniqArrayIf(host, oldest_at IS NOT NULL) AS hosts
    FROM collector_logs FINAL
    WHERE recorded_at > now64(3) - INTERVAL 1 HOUR`,
  row: oldestWaitingRow,
  pool: 'lookup',
}
