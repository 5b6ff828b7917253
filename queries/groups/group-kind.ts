import type { ReportType } from '../../schema/report-types.ts'
import { type GroupPart, type GroupQuestion, type GroupTable, groupParts } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { type Sql, sql, texts, uuid } from '../sql/sql.ts'

/** What distinguishes a part's groups: a UInt64 in the part's own columns, the same in every part. */
export type GroupKey = (part: GroupPart) => Sql

/** A kind of groups that reports make. */
export interface GroupKind<Question extends GroupQuestion> {
  /** What must hold of the rows of the rollup and of raw rows alike, the report type among it. */
  readonly conditions: (question: Question) => readonly Sql[]
  readonly parts: (question: Question) => GroupPart[]
  readonly key: GroupKey
}

/** A kind that a rollup by day keeps. */
export const groupKind = <Question extends GroupQuestion>(
  rollup: GroupTable,
  conditions: GroupKind<Question>['conditions'],
  key: GroupKey,
): GroupKind<Question> => ({
  conditions,
  parts: (question) => groupParts(rollup, question, conditions(question)),
  key,
})

/** Which groups are asked for, of a kind that several report types make. */
export interface ReportTypesQuestion extends GroupQuestion {
  /** Every site of the tenant where it is undefined. */
  readonly siteId: string | undefined
  /** One at least. */
  readonly reportTypes: readonly ReportType[]
}

/** What must hold of the reports of some types, of a site or of every site. */
export const ofReportTypes = ({ siteId, reportTypes }: Omit<ReportTypesQuestion, keyof GroupQuestion>): Sql[] => [
  sql`report_type IN ${texts(reportTypes)}`,
  ...equals('site_id', uuid, siteId),
]
