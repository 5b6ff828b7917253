/** @module Hours of a site with many more reports than usual, and hours without any, by the rollups of hours. */

import { z } from 'zod'
import { dayMs, hourMs } from '../../schema/durations.ts'
import { reportTypeNames } from '../../schema/report-types.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { atSecond, type Sql, sql, texts, uint, uuid } from '../sql/sql.ts'

/** Number of previous days whose same hour defines usual traffic. */
const usualDays = 7

/** Rows of the rollups by value that count a site's reports. */
export const perSite = (tenantId: string): Sql => sql`
  tenant_id = ${uuid(tenantId)} AND report_type IN ${texts(reportTypeNames)} AND dimension = 'siteId'`

const before = (time: Date, milliseconds: number) => atSecond(new Date(time.getTime() - milliseconds))

const burst = z.object({ siteId: z.string(), hour: rowTime, reports: rowCount, usual: z.number() })

export type Burst = z.infer<typeof burst>

/**
 * Hours since then with more than `over` reports and `times` the mean of the hour on the 7 days before, without noise.
 */
export const listBursts = (
  tenantId: string,
  since: Date,
  { over, times }: { readonly over: number; readonly times: number },
): Query<Burst> => ({
  name: 'listBursts',
  statement: sql`
    SELECT site_id AS siteId, toDateTime64(bucket, 3, 'UTC') AS hour, reports, usual
    FROM (
      SELECT site_id, bucket, reports, sum(reports) OVER (
          PARTITION BY site_id, toHour(bucket) ORDER BY bucket
          RANGE BETWEEN ${uint((usualDays * dayMs) / 1000)} PRECEDING AND 1 PRECEDING
        ) / ${uint(usualDays)} AS usual
      FROM (
        SELECT value AS site_id, bucket, sum(report_count) AS reports
        FROM reports_per_hour_by_value
        WHERE ${perSite(tenantId)} AND value IN (
            SELECT value
            FROM reports_per_hour_by_value_time_ordered
            WHERE ${perSite(tenantId)} AND bucket >= ${atSecond(since)} AND NOT noise
            GROUP BY value, bucket
            HAVING sum(report_count) > ${uint(over)})
          AND bucket >= ${before(since, usualDays * dayMs)} AND NOT noise
        GROUP BY site_id, bucket))
    WHERE bucket >= ${atSecond(since)} AND reports > ${uint(over)} AND reports >= ${uint(times)} * usual
    ORDER BY siteId, hour`,
  row: burst,
})

const firstReport = z.object({ siteId: z.string(), firstSeen: rowTime })

export const listFirstReports = (tenantId: string, siteIds: readonly string[]): Query<z.infer<typeof firstReport>> => ({
  name: 'listFirstReports',
  statement: sql`
    SELECT value AS siteId, min(first_seen_at) AS firstSeen
    FROM reports_per_day_by_value
    WHERE ${perSite(tenantId)} AND value IN ${texts(siteIds)}
    GROUP BY siteId`,
  row: firstReport,
})

const silence = z.object({ siteId: z.string(), hour: rowTime })

export type Silence = z.infer<typeof silence>

/** Hours of the window without a report, if each of the 24 hours before had `least`. */
export const listSilences = (
  tenantId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  least: number,
): Query<Silence> => ({
  name: 'listSilences',
  statement: sql`
    SELECT site_id AS siteId, toDateTime64(arrayJoin(arrayFilter(
      hour -> hour >= ${atSecond(from)} AND hour < ${atSecond(to)} AND NOT has(hours, hour)
        AND arrayAll(earlier -> has(busy_hours, hour - toIntervalHour(earlier)), range(1, 25)),
      arrayMap(busy -> busy + toIntervalHour(1), busy_hours))), 3, 'UTC') AS hour
    FROM (
      SELECT site_id, groupArray(bucket) AS hours, groupArrayIf(bucket, reports >= ${uint(least)}) AS busy_hours
      FROM (
        SELECT value AS site_id, bucket, sum(report_count) AS reports
        FROM reports_per_hour_by_value_time_ordered
        WHERE ${perSite(tenantId)} AND bucket >= ${before(from, 24 * hourMs)}
        GROUP BY site_id, bucket)
      GROUP BY site_id)
    ORDER BY siteId, hour`,
  row: silence,
})
