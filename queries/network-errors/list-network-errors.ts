import { z } from 'zod'
import { type GroupMeasures, groupsOf, groupTally, sameOf } from '../groups/groups-of.ts'
import { largestFirst, type VolumePosition } from '../groups/largest-first.ts'
import type { Query } from '../query.ts'
import { rowBigSum, rowCount, rowTime } from '../rows.ts'
import { sql } from '../sql.ts'
import { type NetworkErrorQuestion, networkErrorKey, networkErrorParts } from './network-error-groups.ts'

const row = z.object({
  key: rowBigSum,
  errorType: z.string(),
  phase: z.string(),
  origin: z.string(),
  statusCode: z.int().nullable(),
  reportCount: rowCount,
  weight: rowBigSum,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A network error group, apart from what is asked for the groups of a page alone. */
export type NetworkErrorGroup = z.infer<typeof row>

const measures: GroupMeasures = {
  errorType: sameOf(() => sql`feature`),
  phase: sameOf(() => sql`phase`),
  origin: sameOf(() => sql`request_origin`),
  statusCode: sameOf(() => sql`nullIf(status_code, 0)`),
  ...groupTally,
}

/** The network error groups with the largest estimated volume, after a position. */
export function listNetworkErrors(
  question: NetworkErrorQuestion,
  after: VolumePosition | undefined,
  limit: number,
): Query<NetworkErrorGroup> {
  const groups = groupsOf(networkErrorParts(question), networkErrorKey, measures)
  return { name: 'listNetworkErrors', statement: sql`${groups}${largestFirst(after, limit)}`, row }
}
