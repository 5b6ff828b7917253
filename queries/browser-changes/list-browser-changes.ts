import type { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { byVolume, isAfter, type VolumePosition } from '../groups/largest-first.ts'
import { groupTally, groupTallyRow, selectGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { at, empty, type Sql, sql, uint } from '../sql/sql.ts'
import { anticipatedRemoval, type BrowserChangeFilter, browserChangeEntries } from './browser-change-groups.ts'

const row = groupTallyRow.extend({ anticipatedRemoval: rowTime.nullable() })

export type BrowserChangeEntry = z.infer<typeof row>

export interface BrowserChangePosition extends VolumePosition {
  /** Milliseconds since the Unix epoch; null after the last entry with a date. */
  readonly anticipatedRemoval: number | null
}

/** Numbers only: the texts of every entry of a window would take most of the time. */
const measures = { anticipatedRemoval, ...groupTally }

/** Soonest removal first, entries without a date last, then the largest volume. */
export function listBrowserChanges(
  filter: BrowserChangeFilter,
  after: BrowserChangePosition | undefined,
  limit: number,
): Query<BrowserChangeEntry> {
  const entries = selectGroups(keyedSlices(browserChangeEntries(filter)), measures)
  return {
    name: 'listBrowserChanges',
    statement: sql`
      ${entries}${after ? sql` HAVING ${isAfterRemoval(after)}` : empty}
      ORDER BY anticipatedRemoval NULLS LAST, ${byVolume}
      LIMIT ${uint(limit)}`,
    row,
  }
}

function isAfterRemoval(after: BrowserChangePosition): Sql {
  if (after.anticipatedRemoval === null) return sql`anticipatedRemoval IS NULL AND ${isAfter(after)}`
  const date = at(new Date(after.anticipatedRemoval))
  const isTied = sql`(anticipatedRemoval = ${date} AND ${isAfter(after)})`
  return sql`(anticipatedRemoval IS NULL OR anticipatedRemoval > ${date} OR ${isTied})`
}
