/** @module Hours of a site with many more reports than usual, and hours without any, by the rollups of hours. */

import { z } from 'zod'
import { dayMs, hourMs } from '../../schema/durations.ts'
import { reportTypeNames } from '../../schema/report-types.ts'
import { unitWeight } from '../../schema/stored-report.ts'
import { reportColumn } from '../rollups/columns.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, atSecond, type Sql, sql, texts, uint, uuid } from '../sql/sql.ts'

/** Number of previous days whose same hour defines usual traffic. */
const usualDays = 7

/** Rows of the rollups by value that count a site's reports. */
export const perSite = (tenantId: string): Sql => sql`
  tenant_id = ${uuid(tenantId)} AND report_type IN ${texts(reportTypeNames)} AND dimension = 'siteId'`

const before = (time: Date, milliseconds: number) => atSecond(new Date(time.getTime() - milliseconds))

const burst = z.object({ siteId: z.string(), hour: rowTime, reports: rowCount, usual: z.number() })

export type Burst = z.infer<typeof burst>

/** First reports of sites. */
const firstReports = (tenantId: string): Sql => sql`
  SELECT value AS site_id, toUnixTimestamp(toStartOfHour(min(first_seen_at))) AS first_at
  FROM reports_per_day_by_value
  WHERE ${perSite(tenantId)}
  GROUP BY site_id`

const second = 1000

/**
 * Hours since then with more than `over` estimated reports and `times` the mean of the hour on the site's previous days.
 * At most 7 days count, and no noise.
 */
export const listBursts = (
  tenantId: string,
  since: Date,
  { over, times }: { readonly over: number; readonly times: number },
): Query<Burst> => ({
  name: 'listBursts',
  statement: sql`
    SELECT site_id AS siteId, toDateTime64(bucket, 3, 'UTC') AS hour, reports, earlier / days AS usual
    FROM (
      SELECT site_id, bucket, reports, sum(reports) OVER (
          PARTITION BY site_id, toHour(bucket) ORDER BY bucket
          RANGE BETWEEN ${uint((usualDays * dayMs) / second)} PRECEDING AND 1 PRECEDING
        ) AS earlier, least(${uint(usualDays)}, intDiv(toUnixTimestamp(bucket) - first_at, ${uint(dayMs / second)})) AS days
      FROM (
        SELECT value AS site_id, bucket, toUInt64(round(sum(weight) / ${uint(unitWeight)})) AS reports
        FROM reports_per_hour_by_value
        WHERE ${perSite(tenantId)} AND value IN (
            SELECT value
            FROM reports_per_hour_by_value_time_ordered
            WHERE ${perSite(tenantId)} AND bucket >= ${atSecond(since)} AND NOT noise
            GROUP BY value, bucket
            HAVING sum(weight) > ${uint(over)} * ${uint(unitWeight)})
          AND bucket >= ${before(since, usualDays * dayMs)} AND NOT noise
        GROUP BY site_id, bucket) AS hours
      INNER JOIN (${firstReports(tenantId)}) AS first USING (site_id))
    WHERE bucket >= ${atSecond(since)} AND days > 0 AND reports > ${uint(over)} AND reports >= ${uint(times)} * usual
    ORDER BY siteId, hour`,
  row: burst,
})

const largest = z.object({ name: z.enum(['directive', 'blockedHost', 'page']), value: z.string(), reports: rowCount })

/** The directive, host and page with the most reports of a site and hour, without noise, by estimates. */
export const listLargest = (tenantId: string, siteId: string, hour: Date): Query<z.infer<typeof largest>> => ({
  name: 'listLargest',
  statement: sql`
    SELECT pair.1 AS name, pair.2 AS value, toUInt64(round(sum(weight) / ${uint(unitWeight)})) AS reports
    FROM (
      SELECT weight, [('directive', toString(${reportColumn('directive')})),
        ('blockedHost', toString(${reportColumn('blockedHost')})), ('page', ${reportColumn('page')})] AS pairs
      FROM reports
      WHERE tenant_id = ${uuid(tenantId)} AND site_id = ${uuid(siteId)} AND report_type IN ${texts(reportTypeNames)}
        AND received_at >= ${at(hour)} AND received_at < ${at(new Date(hour.getTime() + hourMs))} AND NOT noise)
    ARRAY JOIN pairs AS pair
    WHERE value != ''
    GROUP BY name, value
    ORDER BY reports DESC, value
    LIMIT 1 BY name`,
  row: largest,
})

const trafficHours = z.object({
  siteId: z.string(),
  hours: z.array(z.object({ hoursAgo: rowCount, reports: rowCount, usual: z.number() })),
})

export type TrafficHours = z.infer<typeof trafficHours>

const [weekHours, mostWeeks] = [7 * 24, 4]

/** Hours before the current one whose traffic is compared: in a week, each is a different hour of the week. */
export const comparedHours = weekHours - 1

/**
 * Sites with an hour below 2 % of its mean in the 1 to 4 weeks before. Hours without reports and mean are omitted.
 * @param current start of the current hour.
 */
export const listQuietSites = (tenantId: string, current: Date): Query<TrafficHours> => ({
  name: 'listQuietSites',
  statement: sql`
    SELECT site_id AS siteId, CAST(groupArray((hours_ago, reports, if(weeks > 0, earlier / weeks, 0))),
      'Array(Tuple(hoursAgo UInt32, reports UInt64, usual Float64))') AS hours
    FROM (
      SELECT site_id, hours_ago, reports, earlier,
        least(${uint(mostWeeks)}, intDiv(toInt64(${uint(current.getTime() / second)}) - hours_ago * ${uint(hourMs / second)} - first_at,
          ${uint((weekHours * hourMs) / second)})) AS weeks
      FROM (
        SELECT value AS site_id, modulo(age, ${uint(weekHours)}) AS hours_ago, sumIf(report_count, age < ${uint(weekHours)}) AS reports,
          sumIf(report_count, age >= ${uint(weekHours)}) AS earlier
        FROM (
          SELECT value, report_count,
            intDiv(${uint(current.getTime() / second)} - toUnixTimestamp(bucket), ${uint(hourMs / second)}) AS age
          FROM reports_per_hour_by_value_time_ordered
          WHERE ${perSite(tenantId)} AND bucket <= ${atSecond(current)}
            AND bucket > ${before(current, (mostWeeks + 1) * weekHours * hourMs)})
        GROUP BY site_id, hours_ago) AS hours
      INNER JOIN (${firstReports(tenantId)}) AS first USING (site_id)
      WHERE hours_ago <= ${uint(comparedHours)})
    GROUP BY site_id
    HAVING countIf(hours_ago > 0 AND reports * 50 * weeks < earlier) > 0
    ORDER BY siteId`,
  row: trafficHours,
})
