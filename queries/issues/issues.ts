/** @module Issues: ranked lists, new ones, and what decides confidence (Rule 45, `schema/rules/confidence.ts`). */

import { z } from 'zod'
import { confidenceRule } from '../../schema/confidence-rule.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { IssueConfidence } from '../../schema/enumerations.ts'
import type { IssueConditions } from '../../schema/issue-filter.ts'
import { issueTypeNames } from '../../schema/report-types.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { type Groups, keyedSlices, ofReportTypes, type ReportTypesFilter } from '../groups/keyed-slices.ts'
import {
  browserFamilies,
  commonValue,
  type GroupMeasure,
  type GroupMeasures,
  groupTally,
  selectGroups,
} from '../groups/select-groups.ts'
import { matchesText } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'
import { at, bool, empty, join, noTime, type Sql, sql, texts, uint, uint64 } from '../sql/sql.ts'
import { fromFirstSightings, type IssueOwner, isOfIssueFirstSeenIn } from './first-sightings.ts'

export interface IssueFilter extends ReportTypesFilter, Omit<IssueConditions, 'isNew'> {
  /** Only issues that are new within it. */
  readonly firstSeenIn?: TimeRange | undefined
}

/** The key is stored with each report: the first half of the MD5 of its site, type, subject and host (Rule 44). */
export const issueGroups = (filter: IssueFilter): Groups => ({
  filter,
  rollup: 'reports_per_day_by_issue',
  conditions: [
    ...ofReportTypes(filter),
    ...(filter.subject ?? []).map((condition) => matchesText(sql`issue_subject`, condition)),
    ...(filter.firstSeenIn ? [isOfIssueFirstSeenIn(filter, filter.firstSeenIn)] : []),
    ...(filter.targetHost ?? []).map((condition) => matchesText(sql`issue_host`, condition)),
  ],
  key: () => sql`issue_key`,
})

export const issueSenders = {
  reportCount: groupTally.reportCount,
  noiseCount: {
    ofSlice: ({ isRaw }) => (isRaw ? sql`countIf(noise)` : sql`sum(noise_count)`),
    merged: (values) => sql`sum(${values})`,
  },
  browserFamilyCount: { ...browserFamilies, merged: (values) => sql`length(${browserFamilies.merged(values)})` },
} as const satisfies GroupMeasures

const isMany = sql`reportCount >= ${uint(confidenceRule.manyReports)}`
const isSeveral = sql`browserFamilyCount >= ${uint(confidenceRule.severalFamilies)}`

/** Condition on a SELECT of the measures above. */
const hasConfidence = (confidences: readonly IssueConfidence[]): Sql => sql`
  multiIf(
    noiseCount = reportCount, 'suppressed',
    ${isMany} AND ${isSeveral}, 'high',
    ${isMany} OR ${isSeveral}, 'medium',
    'low'
  ) IN ${texts(confidences)}`

export const rankedIssue = z.object({
  key: rowBigSum,
  siteId: z.string(),
  reportType: z.enum(issueTypeNames),
  lastSeen: rowTime,
})

export type RankedIssue = z.infer<typeof rankedIssue>

export interface IssuePosition {
  readonly lastSeen: number
  /** Unsigned 64-bit integer in digits; breaks ties. */
  readonly key: string
}

const common = {
  siteId: commonValue(() => sql`site_id`),
  reportType: commonValue(() => sql`report_type`),
}

/**
 * Issues with only noise, or only other reports, are omitted according to the filter; confidence follows from all
 * reports.
 */
function selectIssues(filter: IssueFilter, further: GroupMeasures, after?: IssuePosition): Sql {
  const { noise, confidence } = filter
  const lastSeen = noise === undefined ? groupTally.lastSeen : lastSeenIf(sql`noise = ${bool(noise)}`)
  const measures = { ...further, lastSeen, ...(confidence && issueSenders) }
  const issues = selectGroups(keyedSlices(issueGroups(filter)), measures)
  const conditions = [
    ...(noise === undefined ? [] : [sql`lastSeen > ${noTime}`]),
    ...(confidence ? [hasConfidence(confidence)] : []),
    ...(after ? [isAfter(after)] : []),
  ]
  return sql`${issues}${conditions.length > 0 ? sql` HAVING ${join(conditions, ' AND ')}` : empty}`
}

function listIssuesIn(filter: IssueFilter, after: IssuePosition | undefined, limit: number): Query<RankedIssue> {
  const issues = selectIssues(filter, common, after)
  return {
    name: 'listIssues',
    statement: sql`${issues} ORDER BY lastSeen DESC, group_key LIMIT ${uint(limit)}`,
    row: rankedIssue,
  }
}

const countRow = z.object({ issueCount: rowCount })

/** Number of issues in the window, independent of the page. */
export const countIssues = (filter: IssueFilter): Query<z.infer<typeof countRow>> => ({
  name: 'countIssues',
  statement: sql`SELECT count() AS issueCount FROM (${selectIssues(filter, {})})`,
  row: countRow,
})

const lastSeenIf = (condition: Sql): GroupMeasure => ({
  ...groupTally.lastSeen,
  ofSlice: ({ isRaw }) => sql`maxIf(${isRaw ? sql`received_at` : sql`last_seen_at`}, ${condition})`,
})

function isAfter({ lastSeen, key }: IssuePosition) {
  const time = at(new Date(lastSeen))
  return sql`(lastSeen < ${time} OR (lastSeen = ${time} AND group_key > ${uint64(BigInt(key))}))`
}

/** Beyond this time, raw reports cost more than the rollup of the last whole day. */
const recentMs = 6 * hourMs

/** Queries to try in order: six hours before the position, its last whole day, and all; a full page is final. */
export function listIssues(filter: IssueFilter, after: IssuePosition | undefined, limit: number) {
  const { window } = filter
  const latest = Math.min(window.to, after?.lastSeen ?? window.to)
  const lastWholeDay = Math.floor(latest / dayMs - 1) * dayMs
  // Confidence follows from all reports of the window.
  const recent = filter.confidence ? [] : [latest - recentMs, lastWholeDay]
  const starts = recent.filter((from) => from > window.from)
  return [...starts, window.from].map((from) => {
    return listIssuesIn({ ...filter, window: { ...window, from } }, after, limit)
  })
}

const row = rankedIssue.extend({ firstSeenEver: rowTime })

/**
 * Issues that are new within the window, most recently seen first. Reads no reports: the last sighting can be after the
 * window or expired.
 */
export const listNewIssues = (owner: IssueOwner, window: TimeRange, limit: number): Query<z.infer<typeof row>> => ({
  name: 'listNewIssues',
  statement: sql`
    SELECT
      toString(issue_key) AS key,
      site_id AS siteId,
      report_type AS reportType,
      first_seen_at AS firstSeenEver,
      last_seen_at AS lastSeen
    ${fromFirstSightings(owner, window)}
    ORDER BY lastSeen DESC, issue_key
    LIMIT ${uint(limit)}`,
  row,
})
