import { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { largestFirst, type VolumePosition } from '../groups/largest-first.ts'
import { type GroupMeasures, groupTally, groupTallyRow, selectGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

/** `lastStackAt` is the latest report with a stack, in milliseconds since the Unix epoch; 0 without one. */
const row = groupTallyRow.extend({ lastStackAt: z.int() })

export type CrashGroup = z.infer<typeof row>

/** Numbers only: the texts of every group of a window would take most of the time. */
const measures: GroupMeasures = {
  ...groupTally,
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
  const groups = selectGroups(keyedSlices(crashGroups(filter)), measures)
  return { name: 'listCrashGroups', statement: sql`${groups}${largestFirst(after, limit)}`, row }
}
