import type { z } from 'zod'
import { keyedSlices } from '../groups/keyed-slices.ts'
import { largestFirst, type VolumePosition } from '../groups/largest-first.ts'
import { groupTally, groupTallyRow, selectGroups } from '../groups/select-groups.ts'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

export type NetworkErrorGroup = z.infer<typeof groupTallyRow>

/** Numbers only: the texts of every group of a window would take most of the time. */
export function listNetworkErrorGroups(
  filter: NetworkErrorFilter,
  after: VolumePosition | undefined,
  limit: number,
): Query<NetworkErrorGroup> {
  const groups = selectGroups(keyedSlices(networkErrorGroups(filter)), groupTally)
  return { name: 'listNetworkErrorGroups', statement: sql`${groups}${largestFirst(after, limit)}`, row: groupTallyRow }
}
