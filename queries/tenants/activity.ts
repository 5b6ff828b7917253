import { z } from 'zod'
import { dayMs } from '../../schema/durations.ts'
import { type StoredType, storedTypeNames } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { SiteRef } from '../pages/payment-pages.ts'
import { bucketTime, rawTime } from '../rollups/columns.ts'
import { sliceTables } from '../rollups/table-slices.ts'
import { equals } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { atSecond, join, type Sql, sql, text, texts, uuid } from '../sql/sql.ts'

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
    everyTenant: true,
  }
}

const siteActivityRow = z.object({ siteId: z.string(), firstSeen: rowTime, lastSeen: rowTime })

export type SiteActivity = z.infer<typeof siteActivityRow>

const byDay = { table: 'reports_per_day_by_value', grains: [dayMs], time: bucketTime }
const raw = { table: 'reports', grains: [1], time: rawTime }

/** After every report: 32-bit times end in 2106. */
const endOfTimes = Date.UTC(2106, 0)

/** Time from the start of a day on. */
type Since = Omit<TimeRange, 'to'>

/** First and last times of sites and types, in several rows of each. */
function activityOf(tenantId: string, since: Since, siteId?: string): Sql {
  const ofTypes = sql`report_type IN ${texts(storedTypeNames)}`
  const slices = sliceTables([byDay, raw], tenantId, [{ ...since, to: endOfTimes }], (table) =>
    table === raw
      ? [ofTypes, ...equals('site_id', uuid, siteId)]
      : [ofTypes, sql`dimension = 'siteId'`, ...equals('value', text, siteId)],
  ).map(({ table, from }) => {
    const [site, first, last] =
      table === raw
        ? [sql`toString(site_id)`, sql`received_at`, sql`received_at`]
        : [sql`value`, sql`first_seen_at`, sql`last_seen_at`]
    return sql`
      SELECT ${site} AS siteId, report_type AS type, min(${first}) AS first_at, max(${last}) AS last_at ${from}
      GROUP BY siteId, type`
  })
  return join(slices, ' UNION ALL ')
}

/** Lists each site with reports or sightings of scripts since the start of a day, in no order. */
export const listSiteActivity = (tenantId: string, since: Since): Query<SiteActivity> => ({
  name: 'listSiteActivity',
  statement: sql`
    SELECT siteId, min(first_at) AS firstSeen, max(last_at) AS lastSeen
    FROM (${activityOf(tenantId, since)})
    GROUP BY siteId`,
  row: siteActivityRow,
})

const lastReportRow = z.object({ type: z.enum(storedTypeNames as [StoredType, ...StoredType[]]), at: rowTime })

/** The latest report of each type since the start of a day. */
export const listLastReports = ({ tenantId, siteId }: SiteRef, since: Since): Query<z.infer<typeof lastReportRow>> => ({
  name: 'listLastReports',
  statement: sql`SELECT type, max(last_at) AS at FROM (${activityOf(tenantId, since, siteId)}) GROUP BY type`,
  row: lastReportRow,
})

const oldestWaitingRow = z.object({
  oldestAt: rowTime.nullable(),
  /** When a collector last recorded that it no longer waits. */
  emptiedAt: rowTime.nullable(),
  seconds: rowCount,
  hosts: z.array(z.string()),
})

/**
 * Time of receipt and age of the oldest report waiting in a collector's log, null for none, and the hosts. Collectors
 * without a record in the last hour do not count: their reports may be lost.
 */
export const findOldestWaiting: Query<z.infer<typeof oldestWaitingRow>> = {
  name: 'findOldestWaiting',
  statement: sql`
    SELECT min(oldest_at) AS oldestAt, maxOrNullIf(recorded_at, oldest_at IS NULL) AS emptiedAt,
      toUInt64(greatest(0, ifNull(dateDiff('second', oldestAt, now64(3)), 0))) AS seconds,
      groupUniqArrayIf(host, oldest_at IS NOT NULL) AS hosts
    FROM collector_logs FINAL
    WHERE recorded_at > now64(3) - INTERVAL 1 HOUR`,
  row: oldestWaitingRow,
  pool: 'lookup',
}
