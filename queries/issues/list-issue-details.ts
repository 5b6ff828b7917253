import { z } from 'zod'
import {
  browserFamilies,
  commonValue,
  type GroupMeasures,
  groupsOf,
  groupTally,
  groupTallyRow,
} from '../groups/select-groups.ts'
import { slicesWhere } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, texts, uint64s, uuids } from '../sql/sql.ts'
import { type IssueFilter, issueGroups } from './issue-groups.ts'
import type { RankedIssue } from './list-issues.ts'

const row = groupTallyRow.extend({
  subject: z.string(),
  targetHost: z.string(),
  noiseCount: rowCount,
  affectedPages: rowCount,
  browserFamilyCount: rowCount,
})

/** What an issue is about, how large it is, and what sent it. */
export type IssueDetails = z.infer<typeof row>

const measures: GroupMeasures = {
  subject: commonValue(() => sql`toString(issue_subject)`),
  targetHost: commonValue(() => sql`toString(issue_host)`),
  ...groupTally,
  noiseCount: {
    ofSlice: ({ isRaw }) => (isRaw ? sql`countIf(noise)` : sql`sum(noise_count)`),
    merged: (values) => sql`sum(${values})`,
  },
  affectedPages: {
    ofSlice: ({ isRaw, page }) =>
      isRaw ? sql`uniqExactStateIf(cityHash64(${page}), document_url != '')` : sql`uniqExactMergeState(pages)`,
    merged: (values) => sql`uniqExactMerge(${values})`,
  },
  browserFamilyCount: { ...browserFamilies, merged: (values) => sql`length(${browserFamilies.merged(values)})` },
}

/** The details of some issues; an unknown page is no page, an unreadable user agent no browser family. */
export function listIssueDetails(
  filter: IssueFilter,
  issues: readonly Omit<RankedIssue, 'lastSeen'>[],
): Query<IssueDetails>[] {
  if (issues.length === 0) return []
  const keys = uint64s(issues.map(({ key }) => key))
  const types = texts(issues.map(({ reportType }) => reportType))
  const sites = uuids(issues.map(({ siteId }) => siteId))
  // The rollup's primary key finds a type's and a site's issue; by the issue alone, each site's rows would be read.
  const slices = slicesWhere(issueGroups.slices(filter), ({ isRaw }) =>
    isRaw ? sql`issue_key IN ${keys}` : sql`(report_type, site_id, issue_key) IN arrayZip(${types}, ${sites}, ${keys})`,
  )
  return [{ name: 'listIssueDetails', statement: groupsOf(slices, measures), row }]
}
