import { empty, type Sql, sql, uint, uint64 } from '../sql/sql.ts'
import { sliceColumn } from './select-groups.ts'

/** Where a largest-first page of groups left off: unsigned 64-bit integers in decimal digits. */
export interface VolumePosition {
  /** Sum of the weights of the group's reports, in millionths. */
  readonly weight: string
  /** The group's key, which breaks ties. */
  readonly key: string
}

/** Sum of a group's weights, in a select of `groupsOf` with `weight`. */
const volume = sql`sum(${sliceColumn('weight')})`

/** The order of groups by estimated volume, for a select of `groupsOf` with `weight`. */
export const byVolume: Sql = sql`${volume} DESC, group_key`

/** Whether a group stands behind a position in that order. */
export function behind({ weight, key }: VolumePosition): Sql {
  const bound = uint64(BigInt(weight))
  return sql`(${volume} < ${bound} OR (${volume} = ${bound} AND group_key > ${uint64(BigInt(key))}))`
}

/** A page of groups, the largest estimated volume first; goes behind a select of `groupsOf` with `weight`. */
export function largestFirst(after: VolumePosition | undefined, limit: number): Sql {
  return sql`${after ? sql` HAVING ${behind(after)}` : empty} ORDER BY ${byVolume} LIMIT ${uint(limit)}`
}
