import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import {
  commonValue,
  type GroupMeasure,
  type GroupMeasures,
  groupTally,
  groupTallyRow,
  selectGroups,
} from '../groups/select-groups.ts'
import { slicesWhere } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { bool, join, sql, texts, uint64s, uuids } from '../sql/sql.ts'
import { type IssueFilter, issueGroups } from './issue-groups.ts'
import { issueSenders } from './issue-senders.ts'
import type { RankedIssue } from './list-issues.ts'

const row = groupTallyRow.extend({
  subject: z.string(),
  targetHost: z.string(),
  noiseCount: rowCount,
  affectedPages: rowCount,
  browserFamilyCount: rowCount,
})

export type IssueDetails = z.infer<typeof row>

/** An unknown page does not count. */
export const affectedPages: GroupMeasure = {
  ofSlice: ({ isRaw, page }) =>
    isRaw ? sql`uniqExactStateIf(cityHash64(${page}), document_url != '')` : sql`uniqExactMergeState(pages)`,
  merged: (values) => sql`uniqExactMerge(${values})`,
}

const measures: GroupMeasures = {
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
  return [{ name: 'listIssueDetails', statement: selectGroups(slices, measures), row }]
}
