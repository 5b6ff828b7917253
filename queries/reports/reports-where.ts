import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { reportColumn } from '../rollups/columns.ts'
import { unexpired } from '../rollups/table-slices.ts'
import { equals, matches, where } from '../sql/matches.ts'
import { at, bool, join, type Sql, sql, text, uint64, uuid } from '../sql/sql.ts'

/** Conditions on the reports of a window: one range of the primary key. */
const inWindow = (tenantId: string, window: TimeRange, { reportType }: ReportFilter): Sql[] => [
  sql`tenant_id = ${uuid(tenantId)}`,
  sql`report_type = ${text(reportType)}`,
  sql`received_at >= ${at(new Date(window.from))}`,
  sql`received_at < ${at(new Date(window.to))}`,
  ...unexpired(window),
]

const meetsFilter = ({ terms, noise, issueKey }: ReportFilter): Sql[] => [
  ...terms.map((term) => matches(reportColumn(term.dimension), term)),
  ...equals('noise', bool, noise),
  ...equals('issue_key', uint64, issueKey),
]

/** Condition on the reports of a window that meet a filter. */
export const reportsWhere = (tenantId: string, window: TimeRange, filter: ReportFilter): Sql =>
  join([...inWindow(tenantId, window, filter), ...meetsFilter(filter)], ' AND ')

/**
 * Clause for the first rows in an order: ClickHouse would use PREWHERE for that order's bound, and read the primary key
 * of every row. 0.7 of the time for 34 reports of two hosts among 7 million.
 */
export const firstReportsWhere = (tenantId: string, window: TimeRange, filter: ReportFilter): Sql =>
  where(inWindow(tenantId, window, filter), meetsFilter(filter))

/** The reverse order of the primary key, so that nothing is sorted. */
export const newestFirst = sql`ORDER BY reports.received_at DESC, reports.id DESC`
