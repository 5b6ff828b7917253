import { z } from 'zod'
import { type GroupMeasures, groupsOf, groupTally, groupTallyRow } from '../groups/select-groups.ts'
import { largestFirst, type VolumePosition } from '../groups/largest-first.ts'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'
import { type CrashFilter, crashGroups } from './crash-groups.ts'

const row = groupTallyRow.extend({
  /** When the latest report with a stack was received, in milliseconds since the Unix epoch; 0 where none has one. */
  lastStackAt: z.int(),
})

/** A crash group, apart from what is asked for the groups of a page alone. */
export type CrashGroup = z.infer<typeof row>

/** Numbers only: the texts of every group of a window would take most of the time. */
const measures: GroupMeasures = {
  ...groupTally,
  lastStackAt: {
    ofSlice: ({ isRaw }) => (isRaw ? sql`maxIf(received_at, stack != '')` : sql`max(last_stack_at)`),
    merged: (values) => sql`toUnixTimestamp64Milli(max(${values}))`,
  },
}

/** The crash groups with the largest estimated volume, after a position. */
export function listCrashGroups(
  filter: CrashFilter,
  after: VolumePosition | undefined,
  limit: number,
): Query<CrashGroup> {
  const groups = groupsOf(crashGroups.slices(filter), measures)
  return { name: 'listCrashGroups', statement: sql`${groups}${largestFirst(after, limit)}`, row }
}
