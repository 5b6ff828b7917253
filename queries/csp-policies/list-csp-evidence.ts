import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { browserFamilies, selectGroups, slicesOfGroups } from '../groups/select-groups.ts'
import { type IssueFilter, issueGroups } from '../issues/issue-groups.ts'
import { issueSenders } from '../issues/issue-senders.ts'
import { affectedPages } from '../issues/list-issue-details.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'

const row = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  noiseCount: rowCount,
  affectedPages: rowCount,
  browsers: z.array(z.string()),
})

/** Pages and browsers of a site's sources. @param keys of issues. */
export function listCspEvidence(
  filter: Omit<IssueFilter, 'reportTypes'>,
  keys: readonly bigint[],
): Query<z.infer<typeof row>>[] {
  if (keys.length === 0) return []
  const { reportCount, noiseCount } = issueSenders
  const measures = { reportCount, noiseCount, affectedPages, browsers: browserFamilies }
  const slices = keyedSlices(issueGroups({ ...filter, reportTypes: ['csp-violation'] }))
  const issues = keys.map((key) => ({ key }))
  return [{ name: 'listCspEvidence', statement: selectGroups(slicesOfGroups(slices, issues), measures), row }]
}
