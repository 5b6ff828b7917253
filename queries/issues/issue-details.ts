import { z } from 'zod'
import type { DayOfReports } from '../../schema/rules/time/latest-ranges.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { byVolume, isAfter, type VolumePosition } from '../groups/group-pages.ts'
import { type Groups, keyedSlices } from '../groups/keyed-slices.ts'
import {
  commonValue,
  type GroupMeasure,
  type GroupMeasures,
  groupTally,
  groupTallyRow,
  selectGroups,
} from '../groups/select-groups.ts'
import { rawTime } from '../rollups/columns.ts'
import { slicesWhere } from '../rollups/group-slices.ts'
import { inRanges } from '../rollups/table-slices.ts'
import { equals } from '../sql/matches.ts'
import type { PageOf, Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { bool, empty, join, sql, texts, uint, uint64, uint64s, uuids } from '../sql/sql.ts'
import { type IssueFilter, issueGroups, issueSenders, type RankedIssue } from './issues.ts'

const issueRow = z
  .object({ firstSeen: rowTime, lastSeen: rowTime, reportCount: rowCount })
  .transform(({ firstSeen, lastSeen, reportCount }) => ({
    from: Date.parse(firstSeen),
    to: Date.parse(lastSeen) + 1,
    reportCount,
  }))

/** Days of the window with reports of the issue, the latest first. */
export function findIssue(filter: IssueFilter, issueKey: bigint): Query<DayOfReports> {
  const isIssue = sql`issue_key = ${uint64(issueKey)}`
  const days = slicesWhere(keyedSlices(issueGroups(filter)), () => isIssue).map(
    ({ from, isRaw, firstSeen, lastSeen, reportCount }) => sql`
      SELECT ${firstSeen} AS firstSeen, ${lastSeen} AS lastSeen, ${reportCount} AS reportCount
      ${from}
      GROUP BY ${isRaw ? sql`toStartOfDay(received_at)` : sql`bucket`}`,
  )
  return {
    name: 'findIssue',
    statement: sql`
      SELECT firstSeen, lastSeen, reportCount
      FROM (${join(days, ' UNION ALL ')})
      ORDER BY lastSeen DESC`,
    row: issueRow,
  }
}

const issueDetailRow = groupTallyRow.extend({
  subject: z.string(),
  targetHost: z.string(),
  noiseCount: rowCount,
  affectedPages: rowCount,
  browserFamilyCount: rowCount,
})

export type IssueDetails = z.infer<typeof issueDetailRow>

/** An unknown page does not count. */
export const affectedPages: GroupMeasure = {
  ofSlice: ({ isRaw, page }) =>
    isRaw ? sql`uniqExactStateIf(cityHash64(${page}), document_url != '')` : sql`uniqExactMergeState(pages)`,
  merged: (values) => sql`uniqExactMerge(${values})`,
}

const issueDetailsMeasures: GroupMeasures = {
  subject: commonValue(() => sql`toString(issue_subject)`),
  targetHost: commonValue(() => sql`toString(issue_host)`),
  ...groupTally,
  ...issueSenders,
  affectedPages,
}

/** Restricted to noise or to other reports if the filter is. An unknown page or browser family does not count. */
export function listIssueDetails(
  filter: IssueFilter,
  issues: readonly Omit<RankedIssue, 'lastSeen'>[],
): Query<IssueDetails>[] {
  if (issues.length === 0) return []
  const keys = uint64s(issues.map(({ key }) => key))
  const types = texts(issues.map(({ reportType }) => reportType))
  const sites = uuids(issues.map(({ siteId }) => siteId))
  // With only the issue, ClickHouse would read each site's rows: the primary key begins with type and site.
  const isOfIssues = sql`(report_type, site_id, issue_key) IN arrayZip(${types}, ${sites}, ${keys})`
  const slices = slicesWhere(keyedSlices(issueGroups(filter)), ({ isRaw }) =>
    join([isRaw ? sql`issue_key IN ${keys}` : isOfIssues, ...equals('noise', bool, filter.noise)], ' AND '),
  )
  return [{ name: 'listIssueDetails', statement: selectGroups(slices, issueDetailsMeasures), row: issueDetailRow }]
}

const issuePageRow = groupTallyRow.extend({ page: z.string() })

type IssuePage = z.infer<typeof issuePageRow>

interface IssuePages {
  readonly issueKey: bigint
  /** Time ranges with reports of the issue, at least one: no rollup has the pages of an issue. */
  readonly ranges: readonly TimeRange[]
}

const issuePagesMeasures = { ...groupTally, page: commonValue(({ page }) => page) }

/** Pages with most reports first. A page reads the issue's rows of all its days, independent of the position. */
export function listIssuePages(
  filter: IssueFilter,
  { issueKey, ranges }: IssuePages,
  { after, limit }: PageOf<VolumePosition>,
): Query<IssuePage> {
  const groups: Groups = { ...issueGroups(filter), rollup: undefined, key: ({ page }) => sql`halfMD5(${page})` }
  const slices = slicesWhere(
    keyedSlices(groups),
    () => sql`issue_key = ${uint64(issueKey)} AND ${inRanges(rawTime, ranges)}`,
  )
  const having = after ? sql` HAVING ${isAfter(after)}` : empty
  return {
    name: 'listIssuePages',
    statement: sql`${selectGroups(slices, issuePagesMeasures)}${having} ORDER BY ${byVolume} LIMIT ${uint(limit)}`,
    row: issuePageRow,
  }
}
