import { z } from 'zod'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { byVolume, isAfter, type VolumePosition } from '../groups/group-pages.ts'
import { type Groups, keyedSlices } from '../groups/keyed-slices.ts'
import { commonValue, groupTally, groupTallyRow, selectGroups } from '../groups/select-groups.ts'
import { slicesWhere } from '../rollups/group-slices.ts'
import { inRanges } from '../rollups/table-slices.ts'
import { rawTime } from '../rollups/time-column.ts'
import type { PageOf, Query } from '../sql/query.ts'
import { empty, sql, uint, uint64 } from '../sql/sql.ts'
import { type IssueFilter, issueGroups } from './issue-groups.ts'

const row = groupTallyRow.extend({ page: z.string() })

type IssuePage = z.infer<typeof row>

interface IssuePages {
  readonly issueKey: bigint
  /** One or more times with reports of the issue: no rollup has the pages of an issue. */
  readonly ranges: readonly TimeRange[]
}

const measures = { ...groupTally, page: commonValue(({ page }) => page) }

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
    statement: sql`${selectGroups(slices, measures)}${having} ORDER BY ${byVolume} LIMIT ${uint(limit)}`,
    row,
  }
}
