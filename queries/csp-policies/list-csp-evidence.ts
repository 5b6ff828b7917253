/** @module What a site's issues show of sources: pages, browsers, and when each was first seen. */

import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import {
  browserFamilies,
  type GroupMeasures,
  groupTally,
  selectGroups,
  slicesOfGroups,
} from '../groups/select-groups.ts'
import { type IssueFilter, issueGroups } from '../issues/issue-groups.ts'
import { issueSenders } from '../issues/issue-senders.ts'
import { affectedPages } from '../issues/list-issue-details.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'

const row = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  noiseCount: rowCount,
  affectedPages: rowCount,
  browsers: z.array(z.string()),
})

const firstRow = z.object({ key: rowBigSum, firstSeen: rowTime })

type SiteFilter = Omit<IssueFilter, 'reportTypes'>

function ofIssues<Row>(
  { name, measures, row }: { readonly name: string; readonly measures: GroupMeasures; readonly row: z.ZodType<Row> },
  filter: SiteFilter,
  keys: readonly bigint[],
): Query<Row>[] {
  if (keys.length === 0) return []
  const slices = keyedSlices(issueGroups({ ...filter, reportTypes: ['csp-violation'] }))
  const issues = keys.map((key) => ({ key }))
  return [{ name, statement: selectGroups(slicesOfGroups(slices, issues), measures), row }]
}

/** @param keys of issues. */
export const listCspEvidence = (filter: SiteFilter, keys: readonly bigint[]) => {
  const { reportCount, noiseCount } = issueSenders
  const measures = { reportCount, noiseCount, affectedPages, browsers: browserFamilies }
  return ofIssues({ name: 'listCspEvidence', measures, row }, filter, keys)
}

export const listFirstSeen = (filter: SiteFilter, keys: readonly bigint[]) =>
  ofIssues({ name: 'listFirstSeen', measures: { firstSeen: groupTally.firstSeen }, row: firstRow }, filter, keys)
