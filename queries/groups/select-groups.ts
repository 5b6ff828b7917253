/** @module SELECTs of groups: measures are aggregated in each slice, then merged over the slices. */

import { z } from 'zod'
import { type GroupSlice, slicesWhere } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'
import { join, name, type Sql, sql, uint64s } from '../sql/sql.ts'
import { type Groups, type KeyedSlice, keyedSliceAt } from './keyed-slices.ts'

export interface Keyed {
  readonly key: bigint
}

export interface GroupMeasure {
  readonly ofSlice: (slice: GroupSlice) => Sql
  readonly merged: (values: Sql) => Sql
}

/** Measures by the alias in the result. */
export type GroupMeasures = Readonly<Record<string, GroupMeasure>>

/** `weight` is in millionths, as digits. */
export const groupTally = {
  reportCount: { ofSlice: (slice) => slice.reportCount, merged: (values) => sql`sum(${values})` },
  weight: { ofSlice: (slice) => slice.weight, merged: (values) => sql`toString(sum(${values}))` },
  firstSeen: { ofSlice: (slice) => slice.firstSeen, merged: (values) => sql`min(${values})` },
  lastSeen: { ofSlice: (slice) => slice.lastSeen, merged: (values) => sql`max(${values})` },
} as const satisfies GroupMeasures

export const groupTallyRow = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  weight: rowBigSum,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A value that all rows of a group share. */
export const commonValue = (ofSlice: GroupMeasure['ofSlice']): GroupMeasure => ({
  ofSlice: (slice) => sql`any(${ofSlice(slice)})`,
  merged: (values) => sql`any(${values})`,
})

/** Distinct texts without '', in byte order. */
export const distinctTexts = (ofSlice: GroupMeasure['ofSlice']): GroupMeasure => ({
  ofSlice,
  merged: (values) => sql`arraySort(arrayFilter(text -> text != '', groupUniqArrayArray(${values})))`,
})

export const browserFamilies: GroupMeasure = distinctTexts(({ isRaw }) =>
  isRaw ? sql`groupUniqArray(toString(browser_name))` : sql`groupUniqArrayArray(browsers)`,
)

export const latestValue = (value: Sql): GroupMeasure => ({
  ofSlice: () => sql`argMax(${value}, (received_at, id))`,
  merged: (values) => sql`any(${values})`,
})

/** The prefix avoids the tables' columns and the result's aliases. */
export const sliceColumn = (measure: string) => name(`slice_${measure}`)

/** A group can be in several slices. */
function groupsBySlice(slices: readonly KeyedSlice[], measures: GroupMeasures): Sql {
  const selects = slices.map((slice) => {
    const columns = Object.entries(measures).map(
      ([measure, { ofSlice }]) => sql`${ofSlice(slice)} AS ${sliceColumn(measure)}`,
    )
    return sql`SELECT ${join([sql`${slice.key} AS group_key`, ...columns], ', ')} ${slice.from} GROUP BY group_key`
  })
  return join(selects, ' UNION ALL ')
}

const mergedColumns = (measures: GroupMeasures) =>
  Object.entries(measures).map(([measure, { merged }]) => sql`${merged(sliceColumn(measure))} AS ${name(measure)}`)

/** `SELECT key, measures, further columns … GROUP BY group_key`, open to HAVING, ORDER BY and LIMIT. */
export function selectGroups(
  slices: readonly KeyedSlice[],
  measures: GroupMeasures,
  further: readonly Sql[] = [],
): Sql {
  const columns = join([sql`toString(group_key) AS key`, ...mergedColumns(measures), ...further], ', ')
  return sql`SELECT ${columns} FROM (${groupsBySlice(slices, measures)}) GROUP BY group_key`
}

export function slicesOfGroups(slices: readonly KeyedSlice[], groups: readonly Keyed[]): KeyedSlice[] {
  const keys = uint64s(groups.map((group) => group.key))
  return slicesWhere(slices, (slice) => sql`${slice.key} IN ${keys}`)
}

interface DetailQuery<Row> {
  readonly name: string
  readonly measures: GroupMeasures
  readonly row: z.ZodType<Row>
}

/** Lists only the groups of a page; no query without groups. */
export function queryDetails<Row>(
  { name, measures, row }: DetailQuery<Row>,
  slices: readonly KeyedSlice[],
  groups: readonly Keyed[],
): Query<Row>[] {
  return groups.length === 0 ? [] : [{ name, statement: selectGroups(slicesOfGroups(slices, groups), measures), row }]
}

/** Like `queryDetails`, with values of each group's latest report: `lastSeen` is the time it was received. */
export function queryLatest<Row>(
  query: DetailQuery<Row>,
  groups: Groups,
  seen: readonly (Keyed & { readonly lastSeen: string | number })[],
): Query<Row>[] {
  const receivedAt = seen.map(({ lastSeen }) => new Date(lastSeen))
  return queryDetails(query, [keyedSliceAt(groups, receivedAt)], seen)
}
