import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { reportColumn } from '../rollups/columns.ts'
import { unexpired } from '../rollups/table-slices.ts'
import { equals, matches } from '../sql/matches.ts'
import { at, bool, join, type Sql, sql, text, uint64, uuid } from '../sql/sql.ts'

/** Condition on the reports of a window, one range of the primary key. */
export function reportsWhere(tenantId: string, window: TimeRange, filter: ReportFilter): Sql {
  const { reportType, terms, noise, issueKey } = filter
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    sql`report_type = ${text(reportType)}`,
    sql`received_at >= ${at(new Date(window.from))}`,
    sql`received_at < ${at(new Date(window.to))}`,
    ...unexpired(window),
    ...terms.map((term) => matches(reportColumn(term.dimension), term)),
    ...equals('noise', bool, noise),
    ...equals('issue_key', uint64, issueKey),
  ]
  return join(conditions, ' AND ')
}

/** The reverse order of the primary key, so that nothing is sorted. */
export const newestFirst = sql`ORDER BY reports.received_at DESC, reports.id DESC`
