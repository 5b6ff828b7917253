import type { z } from 'zod'
import { groupsOf, groupTally, groupTallyRow } from '../groups/select-groups.ts'
import { largestFirst, type VolumePosition } from '../groups/largest-first.ts'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'
import { type NetworkErrorFilter, networkErrorGroups } from './network-error-groups.ts'

/** A network error group, apart from what is asked for the groups of a page alone. */
export type NetworkErrorGroup = z.infer<typeof groupTallyRow>

/** The network error groups with the largest estimated volume, after a position. */
export function listNetworkErrorGroups(
  filter: NetworkErrorFilter,
  after: VolumePosition | undefined,
  limit: number,
): Query<NetworkErrorGroup> {
  // Numbers only: the texts of every group of a window would take most of the time.
  const groups = groupsOf(networkErrorGroups.slices(filter), groupTally)
  return { name: 'listNetworkErrorGroups', statement: sql`${groups}${largestFirst(after, limit)}`, row: groupTallyRow }
}
