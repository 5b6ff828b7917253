/** @module The order of storing: by the time of the insert, then as in the primary key. */

import { z } from 'zod'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, type Bound, empty, type Sql, sql, uint, uuid } from '../sql/sql.ts'
import { reportsWhere } from './reports-where.ts'

/** A place between two reports. Times are in milliseconds since the Unix epoch. */
export interface StoredPosition {
  readonly storedAt: number
  /** The report before the place; null if the place is before all reports of `storedAt`. */
  readonly last: LastReport | null
}

interface LastReport {
  readonly receivedAt: number
  readonly id: string
}

export interface StoredRange {
  readonly after: StoredPosition
  readonly upTo: StoredPosition
}

const key = sql`(reports.stored_at, reports.received_at, reports.id)`

export const storedOrder = sql`ORDER BY reports.stored_at, reports.received_at, reports.id`

/** With only the tuple comparison the index of `stored_at` is not used. */
export function within({ after, upTo }: StoredRange): Sql {
  const [from, to] = [after, upTo].map(({ storedAt }) => at(new Date(storedAt))) as [Bound, Bound]
  const isAfter = after.last ? sql` AND ${key} > (${from}, ${keyOf(after.last)})` : empty
  const isUpTo = upTo.last
    ? sql` AND reports.stored_at <= ${to} AND ${key} <= (${to}, ${keyOf(upTo.last)})`
    : sql` AND reports.stored_at < ${to}`
  return sql` AND reports.stored_at >= ${from}${isAfter}${isUpTo}`
}

const keyOf = ({ receivedAt, id }: LastReport): Sql => sql`${at(new Date(receivedAt))}, ${uuid(id)}`

const row = z.object({ reportCount: rowCount, storedAt: rowCount, receivedAt: rowCount, id: z.guid() })

/** The number of a range's first `limit` reports, and the last of them. */
export const findStoredEnd = (
  tenantId: string,
  window: TimeRange,
  filter: ReportFilter,
  range: StoredRange,
  limit: number,
): Query<z.infer<typeof row>> => ({
  name: 'findStoredEnd',
  statement: sql`
    SELECT
      count() AS reportCount,
      toUnixTimestamp64Milli(tupleElement(max(place), 1)) AS storedAt,
      toUnixTimestamp64Milli(tupleElement(max(place), 2)) AS receivedAt,
      tupleElement(max(place), 3) AS id
    FROM (
      SELECT ${key} AS place
      FROM reports
      WHERE ${reportsWhere(tenantId, window, filter)}${within(range)}
      ${storedOrder}
      LIMIT ${uint(limit)}
    )`,
  row,
})
