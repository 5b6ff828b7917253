import { z } from 'zod'
import {
  browserFamilies,
  type GroupMeasures,
  groupsOf,
  groupTally,
  groupTallyRow,
  sameOf,
} from '../groups/groups-of.ts'
import { partsWhere } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, texts, uint64s, uuids } from '../sql/sql.ts'
import { type IssueQuestion, issueGroups } from './issue-groups.ts'
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
  subject: sameOf(() => sql`toString(issue_subject)`),
  targetHost: sameOf(() => sql`toString(issue_host)`),
  ...groupTally,
  noiseCount: {
    ofPart: ({ isRaw }) => (isRaw ? sql`countIf(noise)` : sql`sum(noise_count)`),
    whole: (ofParts) => sql`sum(${ofParts})`,
  },
  affectedPages: {
    ofPart: ({ isRaw, page }) =>
      isRaw ? sql`uniqExactStateIf(cityHash64(${page}), document_url != '')` : sql`uniqExactMergeState(pages)`,
    whole: (ofParts) => sql`uniqExactMerge(${ofParts})`,
  },
  browserFamilyCount: { ...browserFamilies, whole: (ofParts) => sql`length(${browserFamilies.whole(ofParts)})` },
}

/** The details of some issues; an unknown page is no page, an unreadable user agent no browser family. */
export function listIssueDetails(
  question: IssueQuestion,
  issues: readonly Omit<RankedIssue, 'lastSeen'>[],
): Query<IssueDetails>[] {
  if (issues.length === 0) return []
  const keys = uint64s(issues.map(({ key }) => key))
  const types = texts(issues.map(({ reportType }) => reportType))
  const sites = uuids(issues.map(({ siteId }) => siteId))
  // The rollup's primary key finds a type's and a site's issue; by the issue alone, each site's rows would be read.
  const parts = partsWhere(issueGroups.parts(question), ({ isRaw }) =>
    isRaw ? sql`issue_key IN ${keys}` : sql`(report_type, site_id, issue_key) IN arrayZip(${types}, ${sites}, ${keys})`,
  )
  return [{ name: 'listIssueDetails', statement: groupsOf(parts, issueGroups.key, measures), row }]
}
