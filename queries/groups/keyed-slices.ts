import type { ReportType } from '../../schema/report-types.ts'
import { type GroupFilter, type GroupSlice, type GroupTable, groupSlices } from '../rollups/group-slices.ts'
import { equals } from '../sql/equals.ts'
import { join, type Sql, sql, texts, uuid } from '../sql/sql.ts'

/** A slice with the key of its groups: a UInt64 in its own columns, the same in every slice. */
export interface KeyedSlice extends GroupSlice {
  readonly key: Sql
}

/** A kind of groups that reports make. */
export interface GroupKind<Question extends GroupFilter> {
  /** Conditions on the rows of the rollup and on raw rows alike, the report type among them. */
  readonly conditions: (filter: Question) => readonly Sql[]
  readonly withKey: (slice: GroupSlice) => KeyedSlice
  readonly slices: (filter: Question) => KeyedSlice[]
}

/** A kind with a rollup by day. */
export function groupKind<Question extends GroupFilter>(
  rollup: GroupTable,
  conditions: GroupKind<Question>['conditions'],
  key: (slice: GroupSlice) => Sql,
): GroupKind<Question> {
  const withKey = (slice: GroupSlice) => ({ ...slice, key: key(slice) })
  return {
    conditions,
    withKey,
    slices: (filter) => groupSlices(rollup, filter, conditions(filter)).map(withKey),
  }
}

/** The rollup's `group_key`; of raw rows the first half of the MD5 of the group's values, each text on its own line. */
export const storedKey = (values: (slice: GroupSlice) => readonly Sql[]) => (slice: GroupSlice) =>
  slice.isRaw ? sql`halfMD5(concatWithSeparator('\\n', ${join(values(slice), ', ')}))` : sql`group_key`

/** A text of a browser's as part of a key: its length in bytes marks its end. */
export const delimited = (value: Sql): Sql[] => [sql`toString(length(${value}))`, value]

/** Groups of a kind that several report types make. */
export interface ReportTypesFilter extends GroupFilter {
  /** Every site of the tenant where it is undefined. */
  readonly siteId: string | undefined
  /** At least one. */
  readonly reportTypes: readonly ReportType[]
}

/** Conditions of some report types, of a site or of every site. */
export const ofReportTypes = ({ siteId, reportTypes }: Omit<ReportTypesFilter, keyof GroupFilter>): Sql[] => [
  sql`report_type IN ${texts(reportTypes)}`,
  ...equals('site_id', uuid, siteId),
]
