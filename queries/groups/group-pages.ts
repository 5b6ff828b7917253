/** @module Keyset pages of groups. Each row has the totals of all groups too, which saves a second scan. */

import { z } from 'zod'
import type { GroupSlice } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { type Sql, sql, uint, uint64 } from '../sql/sql.ts'
import type { KeyedSlice } from './keyed-slices.ts'
import {
  type GroupMeasure,
  type GroupMeasures,
  groupTally,
  groupTallyRow,
  selectGroups,
  sliceColumn,
} from './select-groups.ts'

/** Unsigned 64-bit integers in digits. */
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

export const groupPageRow = groupTallyRow.extend({
  isListed: z.boolean(),
  totalReportCount: rowCount,
  totalWeight: rowBigSum,
  groupCount: rowCount,
})

export const noGroups = { totalReportCount: 0, totalWeight: 0n, groupCount: 0 }

/** Number of distinct texts of all groups except ''; by hash, because the texts take a tenth more of a list's time. */
export const totalDistinct = (text: (slice: GroupSlice) => Sql): GroupMeasure => ({
  ofSlice: (slice) => sql`any(cityHash64(${text(slice)}))`,
  merged: (hashes) => sql`uniqExact(nullIf(any(${hashes}), cityHash64(''))) OVER ()`,
})

interface GroupPageQuery<Row> {
  readonly name: string
  /** Numbers in addition to `groupTally`: texts of every group in a window would take most of the time. */
  readonly measures: GroupMeasures
  /** Further totals: window functions over measures. */
  readonly totals?: readonly Sql[]
  readonly order?: Sql
  readonly row: Query<Row>['row']
}

interface GroupPage {
  /** Selects groups after the previous page; undefined on the first page. */
  readonly condition: Sql | undefined
  readonly limit: number
}

/**
 * Groups of earlier pages come last and are not listed, so that a page after the last group gets its totals from them.
 */
export function queryGroupPage<Row>(
  { name, measures, totals = [], order = byVolume, row }: GroupPageQuery<Row>,
  slices: readonly KeyedSlice[],
  { condition = sql`true`, limit }: GroupPage,
): Query<Row> {
  const groups = selectGroups(slices, { ...groupTally, ...measures }, [
    sql`toBool(${condition}) AS isListed`,
    sql`sum(reportCount) OVER () AS totalReportCount`,
    sql`toString(sum(${volume}) OVER ()) AS totalWeight`,
    sql`count() OVER () AS groupCount`,
    ...totals,
  ])
  return { name, statement: sql`${groups} ORDER BY isListed DESC, ${order} LIMIT ${uint(limit)}`, row }
}
