import { z } from 'zod'
import { groupsOf, groupTally } from '../groups/groups-of.ts'
import { largestFirst, type VolumePosition } from '../groups/largest-first.ts'
import type { Query } from '../query.ts'
import { rowBigSum, rowCount, rowTime } from '../rows.ts'
import { sql } from '../sql.ts'
import { type NetworkErrorQuestion, networkErrorKey, networkErrorParts } from './network-error-groups.ts'

const row = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  weight: rowBigSum,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A network error group, apart from what is asked for the groups of a page alone. */
export type NetworkErrorGroup = z.infer<typeof row>

/** The network error groups with the largest estimated volume, after a position. */
export function listNetworkErrors(
  question: NetworkErrorQuestion,
  after: VolumePosition | undefined,
  limit: number,
): Query<NetworkErrorGroup> {
  // Numbers only: the texts of every group of a window would take most of the time.
  const groups = groupsOf(networkErrorParts(question), networkErrorKey, groupTally)
  return { name: 'listNetworkErrors', statement: sql`${groups}${largestFirst(after, limit)}`, row }
}
