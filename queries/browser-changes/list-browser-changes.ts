import type { z } from 'zod'
import { groupsOf, groupTally, groupTallyRow } from '../groups/select-groups.ts'
import { behind, byVolume, type VolumePosition } from '../groups/largest-first.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, empty, type Sql, sql, uint } from '../sql/sql.ts'
import { anticipatedRemoval, type BrowserChangeFilter, browserChangeEntries } from './browser-change-groups.ts'

const row = groupTallyRow.extend({ anticipatedRemoval: rowTime.nullable() })

/** A browser change, apart from what is asked for the entries of a page alone. */
export type BrowserChangeEntry = z.infer<typeof row>

/** Where a page of browser changes left off. */
export interface BrowserChangePosition extends VolumePosition {
  /** Milliseconds since the Unix epoch; null behind the last entry with a date. */
  readonly anticipatedRemoval: number | null
}

/** Numbers only: the texts of every entry of a window would take most of the time. */
const measures = { anticipatedRemoval, ...groupTally }

/** Browser changes after a position: the soonest removal first, those without a date last, then the largest volume. */
export function listBrowserChanges(
  filter: BrowserChangeFilter,
  after: BrowserChangePosition | undefined,
  limit: number,
): Query<BrowserChangeEntry> {
  const entries = groupsOf(browserChangeEntries.slices(filter), measures)
  return {
    name: 'listBrowserChanges',
    statement: sql`${entries}${after ? sql` HAVING ${behindRemoval(after)}` : empty} ORDER BY anticipatedRemoval NULLS LAST, ${byVolume} LIMIT ${uint(limit)}`,
    row,
  }
}

function behindRemoval(after: BrowserChangePosition): Sql {
  if (after.anticipatedRemoval === null) return sql`anticipatedRemoval IS NULL AND ${behind(after)}`
  const date = at(new Date(after.anticipatedRemoval))
  return sql`(anticipatedRemoval IS NULL OR anticipatedRemoval > ${date} OR (anticipatedRemoval = ${date} AND ${behind(after)}))`
}
