/** @module Columns of raw rows and of rollups: of dimensions, computed ones too, and of time. */

import { type ComputedDimension, type DimensionName, isField } from '../../schema/dimensions.ts'
import { storedFieldRows } from '../../schema/stored-report.ts'
import { at, atSecond, type Bound, name, type Sql, sql, uint } from '../sql/sql.ts'

/** URL without query and fragment. */
export const pageOfReport = sql`cutQueryString(document_url)`

const computed: Readonly<Record<ComputedDimension, Sql>> = { page: pageOfReport }

export const reportColumn = (dimension: DimensionName): Sql =>
  isField(dimension) ? name(storedFieldRows[dimension].column) : computed[dimension]

/** Times of rows, as milliseconds since the Unix epoch outside of SQL. */
export interface TimeColumn {
  readonly column: Sql
  bound(milliseconds: number): Bound
  /** Milliseconds since the Unix epoch. */
  readonly milliseconds: Sql
  /** Number of the bucket that contains the time. @param width in milliseconds, whole seconds. */
  slot(width: number): Sql
}

const exact = (column: Sql): TimeColumn => ({
  column,
  bound: (milliseconds) => at(new Date(milliseconds)),
  milliseconds: sql`toUnixTimestamp64Milli(${column})`,
  slot: (width) => sql`intDiv(toUnixTimestamp64Milli(${column}), ${uint(width)})`,
})

export const rawTime: TimeColumn = exact(sql`received_at`)

/** Start of a bucket that can be a millisecond. */
export const exactBucketTime: TimeColumn = exact(sql`bucket`)

/** Start of a bucket, at whole seconds. */
export const bucketTime: TimeColumn = {
  column: sql`bucket`,
  bound: (milliseconds) => atSecond(new Date(milliseconds)),
  milliseconds: sql`toUnixTimestamp(bucket) * 1000`,
  slot: (width) => sql`intDiv(toUnixTimestamp(bucket), ${uint(width / 1000)})`,
}
