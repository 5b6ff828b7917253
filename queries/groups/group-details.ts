import type { z } from 'zod'
import { type GroupFilter, rawSliceAt } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import type { Sql } from '../sql/sql.ts'
import type { GroupKind, KeyedSlice } from './keyed-slices.ts'
import { type GroupMeasures, groupsOf, type Keyed, slicesOfGroups } from './select-groups.ts'

/** Details of the groups of one page. */
interface GroupDetails<Question extends GroupFilter, Row> {
  /** Of the query, and of the constant that holds it. */
  readonly name: string
  readonly kind: GroupKind<Question>
  readonly measures: GroupMeasures
  /** The key of a group and its measures. */
  readonly row: z.ZodType<Row>
}

function detailsOf<Row>(
  { name, measures, row }: Omit<GroupDetails<never, Row>, 'kind'>,
  slices: readonly KeyedSlice[],
  groups: readonly Keyed[],
): Query<Row>[] {
  return groups.length === 0 ? [] : [{ name, statement: groupsOf(slicesOfGroups(slices, groups), measures), row }]
}

/** Builds a query of details of some groups; none where there are no groups. */
export const groupDetails =
  <Question extends GroupFilter, Row>({ kind, ...details }: GroupDetails<Question, Row>) =>
  (filter: Question, groups: readonly Keyed[]): Query<Row>[] =>
    detailsOf(details, kind.slices(filter), groups)

/** Details of the latest report of each group. */
interface LatestReports<Question extends GroupFilter, Time extends string, Row> extends GroupDetails<Question, Row> {
  /** The group's field with the report's time, as Date takes it; 0 where there is no such report. */
  readonly receivedAt: Time
  /** Conditions on the report beside the kind's. */
  readonly conditions?: readonly Sql[]
}

/** As `groupDetails`, of the latest report of each group, read by primary key from the raw rows. */
export const latestReports =
  <Question extends GroupFilter, Time extends string, Row>(latest: LatestReports<Question, Time, Row>) =>
  (filter: Question, groups: readonly (Keyed & Readonly<Record<Time, string | number>>)[]): Query<Row>[] => {
    const { kind, receivedAt, conditions = [], ...details } = latest
    const reported = groups.filter((group) => group[receivedAt] !== 0)
    const moments = reported.map((group) => new Date(group[receivedAt]))
    const slice = rawSliceAt(filter.tenantId, moments, [...kind.conditions(filter), ...conditions])
    return detailsOf(details, [kind.withKey(slice)], reported)
  }
