import type { z } from 'zod'
import {
  byVolume,
  groupPageRow,
  isAfter,
  noGroups,
  selectGroupPage,
  totalDistinct,
  type VolumePosition,
} from '../groups/group-pages.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { at, type Sql, sql } from '../sql/sql.ts'
import { anticipatedRemoval, type BrowserChangeFilter, browserChangeEntries } from './browser-change-groups.ts'

const row = groupPageRow.extend({
  anticipatedRemoval: rowTime.nullable(),
  apiCount: rowCount,
  withRemovalDateCount: rowCount,
  soonestRemoval: rowTime.nullable(),
})

export type BrowserChangeEntry = z.infer<typeof row>

export const noBrowserChanges = { ...noGroups, apiCount: 0, withRemovalDateCount: 0, soonestRemoval: null }

export interface BrowserChangePosition extends VolumePosition {
  /** Milliseconds since the Unix epoch; null after the last entry with a date. */
  readonly anticipatedRemoval: number | null
}

const measures = { anticipatedRemoval, apiCount: totalDistinct(() => sql`feature`) }

const totals = [
  sql`count(anticipatedRemoval) OVER () AS withRemovalDateCount`,
  sql`min(anticipatedRemoval) OVER () AS soonestRemoval`,
]

/** Soonest removal first, entries without a date last, then the largest volume. */
export function listBrowserChanges(
  filter: BrowserChangeFilter,
  after: BrowserChangePosition | undefined,
  limit: number,
): Query<BrowserChangeEntry> {
  const statement = selectGroupPage(keyedSlices(browserChangeEntries(filter)), {
    measures,
    totals,
    condition: after && isAfterRemoval(after),
    order: sql`anticipatedRemoval NULLS LAST, ${byVolume}`,
    limit,
  })
  return { name: 'listBrowserChanges', statement, row }
}

function isAfterRemoval(after: BrowserChangePosition): Sql {
  if (after.anticipatedRemoval === null) return sql`anticipatedRemoval IS NULL AND ${isAfter(after)}`
  const date = at(new Date(after.anticipatedRemoval))
  const isTied = sql`(anticipatedRemoval = ${date} AND ${isAfter(after)})`
  return sql`(anticipatedRemoval IS NULL OR anticipatedRemoval > ${date} OR ${isTied})`
}
