import type { z } from 'zod'
import { type GroupQuestion, rawPartAt } from '../rollups/group-slices.ts'
import type { Query } from '../sql/query.ts'
import type { Sql } from '../sql/sql.ts'
import type { GroupKind } from './group-kind.ts'
import { type GroupMeasures, groupsOf, type Keyed, partsOfGroups } from './groups-of.ts'

/** What is asked for the groups of a page alone. */
interface GroupDetails<Question extends GroupQuestion, Row> {
  /** The query's. */
  readonly name: string
  readonly kind: GroupKind<Question>
  readonly measures: GroupMeasures
  /** The key of a group and its measures. */
  readonly row: z.ZodType<Row>
}

/** A query of the details of some groups, by the name of its constant. No query where there are no groups. */
export const groupDetails =
  <Question extends GroupQuestion, Row>({ name, kind, measures, row }: GroupDetails<Question, Row>) =>
  (question: Question, groups: readonly Keyed[]): Query<Row>[] => {
    if (groups.length === 0) return []
    const parts = partsOfGroups(kind.parts(question), kind.key, groups)
    return [{ name, statement: groupsOf(parts, kind.key, measures), row }]
  }

/** What the latest report of each group says. */
interface LatestReports<Question extends GroupQuestion, Moment extends string, Row>
  extends GroupDetails<Question, Row> {
  /** The group's own time at which it was received, as Date takes it; 0 where there is no such report. */
  readonly receivedAt: Moment
  /** What must hold of the report beside the kind's conditions. */
  readonly also?: readonly Sql[]
}

/** As `groupDetails`, of the latest report of each group, read by primary key from the raw rows. */
export const latestReports =
  <Question extends GroupQuestion, Moment extends string, Row>({
    kind,
    receivedAt,
    also = [],
    ...details
  }: LatestReports<Question, Moment, Row>) =>
  (question: Question, groups: readonly (Keyed & Readonly<Record<Moment, string | number>>)[]): Query<Row>[] => {
    const reported = groups.filter((group) => group[receivedAt] !== 0)
    const moments = reported.map((group) => new Date(group[receivedAt]))
    const parts = () => [rawPartAt(question.tenantId, moments, [...kind.conditions(question), ...also])]
    return groupDetails({ ...details, kind: { ...kind, parts } })(question, reported)
  }
