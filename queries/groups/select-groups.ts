import { z } from 'zod'
import { type GroupSlice, slicesWhere } from '../rollups/group-slices.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'
import { join, name, type Sql, sql, uint64s } from '../sql/sql.ts'
import type { KeyedSlice } from './keyed-slices.ts'

/** A group, by its key. */
export interface Keyed {
  readonly key: bigint
}

/** A measure of a group: an aggregate of one slice's rows, and then one of the slices' values. */
export interface GroupMeasure {
  readonly ofSlice: (slice: GroupSlice) => Sql
  readonly merged: (values: Sql) => Sql
}

/** Measures by their result's alias. */
export type GroupMeasures = Readonly<Record<string, GroupMeasure>>

/** A group's size and times; `weight` is in millionths, as digits. */
export const groupTally = {
  reportCount: { ofSlice: (slice) => slice.reportCount, merged: (values) => sql`sum(${values})` },
  weight: { ofSlice: (slice) => slice.weight, merged: (values) => sql`toString(sum(${values}))` },
  firstSeen: { ofSlice: (slice) => slice.firstSeen, merged: (values) => sql`min(${values})` },
  lastSeen: { ofSlice: (slice) => slice.lastSeen, merged: (values) => sql`max(${values})` },
} as const satisfies GroupMeasures

/** A group with its tally. */
export const groupTallyRow = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  weight: rowBigSum,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A value that all of a group's rows have in common. */
export const commonValue = (ofSlice: GroupMeasure['ofSlice']): GroupMeasure => ({
  ofSlice: (slice) => sql`any(${ofSlice(slice)})`,
  merged: (values) => sql`any(${values})`,
})

/** The distinct texts of a group's rows, '' apart, in the order of their bytes. */
export const distinctTexts = (ofSlice: GroupMeasure['ofSlice']): GroupMeasure => ({
  ofSlice,
  merged: (values) => sql`arraySort(arrayFilter(text -> text != '', groupUniqArrayArray(${values})))`,
})

/** Browser families, an unreadable user agent apart. */
export const browserFamilies: GroupMeasure = distinctTexts(({ isRaw }) =>
  isRaw ? sql`groupUniqArray(toString(browser_name))` : sql`groupUniqArrayArray(browsers)`,
)

/** A value of the latest of raw rows. */
export const latestValue = (value: Sql): GroupMeasure => ({
  ofSlice: () => sql`argMax(${value}, (received_at, id))`,
  merged: (values) => sql`any(${values})`,
})

/** A slice's column of a measure: its prefix keeps it apart from the tables' columns and the result's aliases. */
export const sliceColumn = (measure: string) => name(`part_${measure}`)

/** Each slice's groups, as `group_key` and `part_…`; a group can be in several slices. */
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

/** `SELECT … GROUP BY group_key`: the groups of all slices, each with its key, as digits, and its measures. */
export function groupsOf(slices: readonly KeyedSlice[], measures: GroupMeasures): Sql {
  const columns = join([sql`toString(group_key) AS key`, ...mergedColumns(measures)], ', ')
  return sql`SELECT ${columns} FROM (${groupsBySlice(slices, measures)}) GROUP BY group_key`
}

/** One row: the sums of all groups, their number, and the number of distinct values, '' apart, of further measures. */
export function groupTotals(slices: readonly KeyedSlice[], distinct: GroupMeasures): Sql {
  const { reportCount, weight } = groupTally
  const sums = { reportCount, weight }
  const counts = Object.keys(distinct).map((measure) => {
    const values = sliceColumn(measure)
    return sql`uniqExactIf(${values}, ${values} != '') AS ${name(measure)}`
  })
  const columns = join([...mergedColumns(sums), ...counts], ', ')
  return sql`SELECT ${columns}, uniqExact(group_key) AS groupCount FROM (${groupsBySlice(slices, { ...sums, ...distinct })})`
}

/** The slices with the rows of some groups only. */
export function slicesOfGroups(slices: readonly KeyedSlice[], groups: readonly Keyed[]): KeyedSlice[] {
  const keys = uint64s(groups.map((group) => group.key))
  return slicesWhere(slices, (slice) => sql`${slice.key} IN ${keys}`)
}
