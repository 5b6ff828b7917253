import { z } from 'zod'
import {
  groupPageRow,
  isAfter,
  noGroups,
  selectGroupPage,
  totalDistinct,
  type VolumePosition,
} from '../groups/group-pages.ts'
import { keyedSlices } from '../groups/keyed-slices.ts'
import type { GroupMeasures } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

/** `lastStackAt` is the latest report with a stack, in milliseconds since the Unix epoch; 0 without one. */
const row = groupPageRow.extend({ lastStackAt: z.int(), pageCount: rowCount })

export type CrashGroup = z.infer<typeof row>

export const noCrashes = { ...noGroups, pageCount: 0 }

const measures: GroupMeasures = {
  pageCount: totalDistinct(({ page }) => page),
  lastStackAt: {
    ofSlice: ({ isRaw }) => (isRaw ? sql`maxIf(received_at, stack != '')` : sql`max(last_stack_at)`),
    merged: (values) => sql`toUnixTimestamp64Milli(max(${values}))`,
  },
}

export function listCrashGroups(
  filter: CrashFilter,
  after: VolumePosition | undefined,
  limit: number,
): Query<CrashGroup> {
  const condition = after && isAfter(after)
  const statement = selectGroupPage(keyedSlices(crashGroups(filter)), { measures, condition, limit })
  return { name: 'listCrashGroups', statement, row }
}
