import { z } from 'zod'
import { type GroupPart, partsWhere } from '../rollups/group-slices.ts'
import { rowBigSum, rowCount, rowTime } from '../sql/rows.ts'
import { join, name, type Sql, sql, uint64s } from '../sql/sql.ts'
import type { GroupKey } from './group-kind.ts'

/** A group, by its key. */
export interface Keyed {
  readonly key: bigint
}

/** A measure of a group: of the rows of a part, and then of all its parts. */
export interface GroupMeasure {
  readonly ofPart: (part: GroupPart) => Sql
  readonly whole: (ofParts: Sql) => Sql
}

/** Measures by the name they are answered under. */
export type GroupMeasures = Readonly<Record<string, GroupMeasure>>

/** A key that the rollup keeps as `group_key`, and that raw rows make of the group's values, each as text. */
export const keptKey =
  (values: (part: GroupPart) => readonly Sql[]): GroupKey =>
  (part) =>
    part.isRaw ? hashOf(values(part)) : sql`group_key`

/** A group's size and its time; `weight` is in millionths, as digits. */
export const groupTally = {
  reportCount: { ofPart: (part) => part.reportCount, whole: (ofParts) => sql`sum(${ofParts})` },
  weight: { ofPart: (part) => part.weight, whole: (ofParts) => sql`toString(sum(${ofParts}))` },
  firstSeen: { ofPart: (part) => part.firstSeen, whole: (ofParts) => sql`min(${ofParts})` },
  lastSeen: { ofPart: (part) => part.lastSeen, whole: (ofParts) => sql`max(${ofParts})` },
} as const satisfies GroupMeasures

/** A group with its tally. */
export const groupTallyRow = z.object({
  key: rowBigSum,
  reportCount: rowCount,
  weight: rowBigSum,
  firstSeen: rowTime,
  lastSeen: rowTime,
})

/** A value that all of a group's rows have. */
export const sameOf = (ofPart: GroupMeasure['ofPart']): GroupMeasure => ({
  ofPart: (part) => sql`any(${ofPart(part)})`,
  whole: (ofParts) => sql`any(${ofParts})`,
})

/** The texts that the group's rows have, '' apart, in the order of their bytes. */
export const distinctOf = (ofPart: GroupMeasure['ofPart']): GroupMeasure => ({
  ofPart,
  whole: (ofParts) => sql`arraySort(arrayFilter(text -> text != '', groupUniqArrayArray(${ofParts})))`,
})

/** Browser families, an unreadable user agent apart. */
export const browserFamilies: GroupMeasure = distinctOf(({ isRaw }) =>
  isRaw ? sql`groupUniqArray(toString(browser_name))` : sql`groupUniqArrayArray(browsers)`,
)

/** A value of the latest of raw rows. */
export const latestOf = (value: Sql): GroupMeasure => ({
  ofPart: () => sql`argMax(${value}, (received_at, id))`,
  whole: (ofParts) => sql`any(${ofParts})`,
})

/** A text of a browser's as part of a key: its length in bytes before it says where it ends. */
export const delimited = (value: Sql): Sql[] => [sql`toString(length(${value}))`, value]

/** The first half of the MD5 of values, each on a line of its own. */
const hashOf = (values: readonly Sql[]): Sql => sql`halfMD5(concatWithSeparator('\\n', ${join(values, ', ')}))`

/** A part's column of a measure: never named as a column of its table or an alias, so that neither hides the other. */
export const partColumn = (measure: string) => name(`part_${measure}`)

/** Every part's groups, with the columns `group_key` and `part_…`; a group can be in several parts. */
function groupsByPart(parts: readonly GroupPart[], key: GroupKey, measures: GroupMeasures): Sql {
  const projection = (part: GroupPart) =>
    Object.entries(measures).map(([measure, { ofPart }]) => sql`${ofPart(part)} AS ${partColumn(measure)}`)
  const selects = parts.map(
    (part) =>
      sql`SELECT ${join([sql`${key(part)} AS group_key`, ...projection(part)], ', ')} ${part.from} GROUP BY group_key`,
  )
  return join(selects, ' UNION ALL ')
}

/** `SELECT … GROUP BY group_key`: the groups of all parts, each with its key, as digits, and its measures. */
export function groupsOf(parts: readonly GroupPart[], key: GroupKey, measures: GroupMeasures): Sql {
  const projection = Object.entries(measures).map(
    ([measure, { whole }]) => sql`${whole(partColumn(measure))} AS ${name(measure)}`,
  )
  return sql`SELECT ${join([sql`toString(group_key) AS key`, ...projection], ', ')} FROM (${groupsByPart(parts, key, measures)}) GROUP BY group_key`
}

/** One row: the sums of all groups, how many there are, and how many values, '' apart, they have of something. */
export function groupTotals(parts: readonly GroupPart[], key: GroupKey, distinct: GroupMeasures): Sql {
  const { reportCount, weight } = groupTally
  const counts = Object.keys(distinct).map((measure) => {
    const values = partColumn(measure)
    return sql`uniqExactIf(${values}, ${values} != '') AS ${name(measure)}`
  })
  const sums = Object.entries({ reportCount, weight }).map(
    ([measure, { whole }]) => sql`${whole(partColumn(measure))} AS ${name(measure)}`,
  )
  return sql`SELECT ${join([...sums, ...counts], ', ')}, uniqExact(group_key) AS groupCount FROM (${groupsByPart(parts, key, { reportCount, weight, ...distinct })})`
}

/** The same parts with the rows of some groups only. */
export function partsOfGroups(parts: readonly GroupPart[], key: GroupKey, groups: readonly Keyed[]): GroupPart[] {
  const keys = uint64s(groups.map((group) => group.key))
  return partsWhere(parts, (part) => sql`${key(part)} IN ${keys}`)
}
