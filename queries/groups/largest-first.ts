import { empty, type Sql, sql, uint, uint64 } from '../sql/sql.ts'
import { sliceColumn } from './select-groups.ts'

/** Keyset paging by estimated volume, for a `selectGroups` with `weight`; unsigned 64-bit integers in digits. */
export interface VolumePosition {
  readonly weight: string
  readonly key: string
}

const volume = sql`sum(${sliceColumn('weight')})`

export const byVolume: Sql = sql`${volume} DESC, group_key`

export function isAfter({ weight, key }: VolumePosition): Sql {
  const bound = uint64(BigInt(weight))
  return sql`(${volume} < ${bound} OR (${volume} = ${bound} AND group_key > ${uint64(BigInt(key))}))`
}

export function largestFirst(after: VolumePosition | undefined, limit: number): Sql {
  return sql`${after ? sql` HAVING ${isAfter(after)}` : empty} ORDER BY ${byVolume} LIMIT ${uint(limit)}`
}
