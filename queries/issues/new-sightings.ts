/** @module New issues of a site for alerts, except those of its first day, which are one alert. */

import { z } from 'zod'
import { newIssueEvent } from '../../schema/alert-events.ts'
import { confidenceRule } from '../../schema/confidence-rule.ts'
import { halfMd5s } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowDigits, rowTime } from '../sql/rows.ts'
import { at, join, type Sql, sql, text, uint, uint64s, uuid } from '../sql/sql.ts'

/** Issues of it are policy issues. */
const reportType = 'csp-violation'

const ofTenant = (tenantId: string): Sql => sql`tenant_id = ${uuid(tenantId)} AND report_type = ${text(reportType)}`

/** Selects by time of storage, which has an index, because old reports can be stored now. */
const storedSince = (tenantId: string, columns: Sql, since: Date): Sql => sql`
  (SELECT ${columns} FROM issue_first_seen WHERE ${ofTenant(tenantId)} AND stored_at >= ${at(since)})`

const sighting = z.object({ key: rowBigSum, siteId: z.string(), firstSeen: rowTime })

export type Sighting = z.infer<typeof sighting>

/** Site whose issues are wanted, null for every site, and the earliest time. */
export interface WantedIssues {
  readonly siteId: string | null
  readonly since: Date
}

const isWanted = ({ siteId, since }: WantedIssues): Sql =>
  siteId === null
    ? sql`issue.first_at >= ${at(since)}`
    : sql`(issue.site_id = ${uuid(siteId)} AND issue.first_at >= ${at(since)})`

/** Id in the form of `issueId`. */
export const issueIdColumn = (key: Sql): Sql => sql`leftPad(lower(hex(${key})), 16, '0')`

/** New issues of a site and hour up to which each is alerted. */
export const mostNewIssues = 1_000

/** Least evidence of an issue; 0 in both for the default: one of `confidenceRule`, or `severalPages`. */
export interface IssueBounds {
  readonly minReports: number
  readonly minBrowsers: number
}

const severalPages = 3

const hasEvidence = ({ minReports, minBrowsers }: IssueBounds): Sql =>
  minReports + minBrowsers > 0
    ? sql`(reports >= ${uint(minReports)} AND families >= ${uint(minBrowsers)})`
    : sql`(reports >= ${uint(confidenceRule.manyReports)} OR families >= ${uint(confidenceRule.severalFamilies)}
        OR pages >= ${uint(severalPages)})`

/** Ends subjects of alerts, so that rules with different bounds each have an alert. */
export const boundsSuffix = ({ minReports, minBrowsers }: IssueBounds): string =>
  minReports + minBrowsers > 0 ? ` from ${minReports} reports of ${minBrowsers} browsers` : ''

/** Issues first stored and first seen since then, except noise and issues of their site's first day. */
const newIssues = (tenantId: string, since: Date): Sql => sql`
  SELECT issue.site_id AS site_id, issue.issue_key AS issue_key, issue.first_at AS first_at,
    toStartOfHour(issue.first_at) AS hour_at,
    count() OVER (PARTITION BY issue.site_id, toStartOfHour(issue.first_at)) AS in_hour
  FROM (
    SELECT site_id, issue_key, min(first_seen_at) AS first_at
    FROM issue_first_seen
    WHERE ${ofTenant(tenantId)} AND (site_id, issue_key) IN ${storedSince(tenantId, sql`site_id, issue_key`, since)}
    GROUP BY site_id, issue_key
    HAVING first_at >= ${at(since)} AND min(stored_at) >= ${at(since)} AND NOT min(noise)
  ) AS issue
  INNER JOIN (
    SELECT site_id, min(first_seen_at) AS first_at
    FROM issue_first_seen
    WHERE ${ofTenant(tenantId)} AND site_id IN ${storedSince(tenantId, sql`site_id`, since)}
    GROUP BY site_id
  ) AS site ON site.site_id = issue.site_id
  WHERE issue.first_at >= site.first_at + toIntervalDay(1)`

export interface NewSightings {
  readonly since: Date
  /** The next pass by default. */
  readonly to?: Date
  readonly wanted: readonly WantedIssues[]
  readonly bounds: IssueBounds
  /** False includes issues with less evidence. */
  readonly isBounded: boolean
  /** Hosts that the policies of a site's scans have. */
  readonly known?: readonly { readonly siteId: string; readonly host: string }[]
}

/**
 * New issues without an alert: known hosts first, then high confidence (Rule 45), then by reports. The limit is per
 * site, so that a site with many issues leaves room for others. In an hour with too many, only these are listed.
 */
export const listNewSightings = (
  tenantId: string,
  { since, to, wanted, bounds, isBounded, known = [] }: NewSightings,
  limit: number,
): Query<Sighting> => ({
  name: 'listNewSightings',
  statement: sql`
    SELECT toString(issue.issue_key) AS key, issue.site_id AS siteId, issue.first_at AS firstSeen,
      row_number() OVER (
        PARTITION BY issue.site_id
        ORDER BY is_known DESC, is_high DESC, reports DESC, issue.first_at, issue.issue_key) AS ordinal
    FROM (${newIssues(tenantId, since)}) AS issue
    LEFT JOIN (
      SELECT site_id, issue_key, sum(report_count) AS reports, uniqExactMerge(pages) AS pages,
        length(groupUniqArrayArray(browsers)) AS families, halfMD5(concat(toString(site_id), ' ', any(issue_host))) IN ${halfMd5s(known.map(({ siteId, host }) => `${siteId} ${host}`))}
          AS is_known,
        reports >= ${uint(confidenceRule.manyReports)} AND families >= ${uint(confidenceRule.severalFamilies)} AS is_high
      FROM reports_per_day_by_issue
      WHERE ${ofTenant(tenantId)} AND NOT noise
        AND (site_id, issue_key) IN ${storedSince(tenantId, sql`site_id, issue_key`, since)}
      GROUP BY site_id, issue_key
    ) AS evidence ON evidence.site_id = issue.site_id AND evidence.issue_key = issue.issue_key
    WHERE (in_hour <= ${uint(mostNewIssues)} OR is_known OR is_high)
      AND ${isBounded ? hasEvidence(bounds) : sql`true`} AND ${to ? sql`issue.first_at < ${at(to)}` : sql`true`}
      AND concat(${issueIdColumn(sql`issue.issue_key`)}, ${text(boundsSuffix(bounds))}) NOT IN (
      SELECT arrayJoin(subjects)
      FROM alerts
      WHERE tenant_id = ${uuid(tenantId)} AND event_type = ${text(newIssueEvent)})
      AND (${join(wanted.map(isWanted), ' OR ')})
    ORDER BY ordinal, firstSeen, key
    LIMIT ${uint(limit)}`,
  row: sighting,
})

const flood = z.object({ siteId: z.string(), hour: rowTime, issueCount: rowCount })

export type IssueFlood = z.infer<typeof flood>

/** Hours of sites with more new issues than are alerted. */
export const listIssueFloods = (tenantId: string, since: Date): Query<IssueFlood> => ({
  name: 'listIssueFloods',
  statement: sql`
    SELECT site_id AS siteId, toDateTime64(hour_at, 3, 'UTC') AS hour, count() AS issueCount
    FROM (${newIssues(tenantId, since)}) AS issue
    WHERE in_hour > ${uint(mostNewIssues)}
    GROUP BY site_id, hour_at
    ORDER BY siteId, hour`,
  row: flood,
})

const firstDay = z.object({
  siteId: z.string(),
  firstSeen: rowTime,
  issueCount: rowCount,
  /** The first sites. */
  keys: rowDigits.transform((keys) => keys.map(BigInt)),
})

export type FirstDay = z.infer<typeof firstDay>

/** Sites whose first policy issue was seen since then, with the issues of the following day, without noise. */
export const listFirstDays = (tenantId: string, since: Date, named: number): Query<FirstDay> => ({
  name: 'listFirstDays',
  statement: sql`
    SELECT site_id AS siteId, min(first_at) AS firstSeen,
      arraySort(groupArrayIf((first_at, toString(issue_key)), NOT only_noise)) AS issues,
      arrayFilter(issue -> issue.1 < firstSeen + toIntervalDay(1), issues) AS of_day,
      length(of_day) AS issueCount, arrayMap(issue -> issue.2, arraySlice(of_day, 1, ${uint(named)})) AS keys
    FROM (
      SELECT site_id, issue_key, min(first_seen_at) AS first_at, min(noise) AS only_noise
      FROM issue_first_seen
      WHERE ${ofTenant(tenantId)} AND site_id IN (
        SELECT site_id
        FROM issue_first_seen
        WHERE ${ofTenant(tenantId)}
        GROUP BY site_id
        HAVING min(first_seen_at) >= ${at(since)})
      GROUP BY site_id, issue_key)
    GROUP BY siteId
    HAVING issueCount > 0
    ORDER BY siteId`,
  row: firstDay,
})

const issueText = z.object({
  key: rowBigSum,
  directive: z.string(),
  host: z.string(),
  firstSeen: rowTime,
  reportCount: rowCount,
  browserFamilyCount: rowCount,
  affectedPages: rowCount,
})

export type IssueText = z.infer<typeof issueText>

export const listIssueTexts = (tenantId: string, siteId: string, keys: readonly bigint[]): Query<IssueText> => ({
  name: 'listIssueTexts',
  statement: sql`
    SELECT toString(issue_key) AS key, any(issue_subject) AS directive, any(issue_host) AS host,
      min(first_seen_at) AS firstSeen, sum(report_count) AS reportCount,
      length(groupUniqArrayArray(browsers)) AS browserFamilyCount, uniqExactMerge(pages) AS affectedPages
    FROM reports_per_day_by_issue
    WHERE ${ofTenant(tenantId)} AND site_id = ${uuid(siteId)} AND issue_key IN ${uint64s(keys)} AND NOT noise
    GROUP BY issue_key
    ORDER BY firstSeen, issue_key`,
  row: issueText,
})
