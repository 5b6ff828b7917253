import { z } from 'zod'
import { detailFields } from '../../schema/export-fields.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { type ReportType, reportTypeNames } from '../../schema/report-types.ts'
import {
  type DetailedReport,
  detailedReport,
  fieldsOfType,
  report,
  reportFieldNames,
} from '../../schema/responses/report.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { emptyValueOf, storedFieldRows } from '../../schema/stored-report.ts'
import { rawTime } from '../rollups/columns.ts'
import { inRanges } from '../rollups/table-slices.ts'
import type { PageOf, Query, TimePosition } from '../sql/query.ts'
import { at, empty, join, name, type Sql, sql, uint, uuid } from '../sql/sql.ts'
import { firstReportsWhere, newestFirst } from './reports-where.ts'

interface ListFilter extends ReportFilter {
  /** One or more time ranges of receipt. */
  readonly ranges?: readonly TimeRange[]
  /** With `context` and `rest`. */
  readonly details?: boolean
}

const selected = (field: keyof DetailedReport): Sql => sql`${name(storedFieldRows[field].column)} AS ${name(field)}`

/** Only a type's own columns, because ClickHouse opens a file for each column. */
const projections = Object.fromEntries(
  reportTypeNames.map((reportType) => [reportType, join(fieldsOfType(reportType).map(selected), ', ')]),
) as Readonly<Record<ReportType, Sql>>

const detailColumns = sql`, ${join(detailFields.map(selected), ', ')}`

const nullReport = Object.fromEntries(reportFieldNames.map((field) => [field, null]))

const emptyValues = new Map<string, unknown>(
  reportFieldNames.flatMap((field) =>
    report.shape[field].isNullable() ? [[field, emptyValueOf(storedFieldRows[field])]] : [],
  ),
)

const isDetail = (field: string) => detailFields.some((name) => name === field)

const row = z.preprocess((stored) => {
  const filled: Record<string, unknown> = { ...nullReport }
  for (const [field, value] of Object.entries(stored as object)) {
    if (value !== emptyValues.get(field)) filled[field] = isDetail(field) && value === '' ? null : value
  }
  return filled
}, detailedReport)

/** Newest first; one primary-key range at any depth. */
export function listReports(
  tenantId: string,
  window: TimeRange,
  filter: ListFilter,
  { after, limit }: PageOf<TimePosition<'receivedAt'>>,
): Query<DetailedReport> {
  const { reportType, terms, noise, issueKey, ranges, details = false } = filter
  const where = [firstReportsWhere(tenantId, window, filter), ...(ranges ? [inRanges(rawTime, ranges)] : [])]
  return {
    name: 'listReports',
    statement: sql`
      SELECT ${projections[reportType]}${details ? detailColumns : empty}
      FROM reports
      ${join(where, ' AND ')}${after ? isAfter(after) : empty}
      ${newestFirst}
      LIMIT ${uint(limit)}`,
    row,
    // Every row is listed, so the newest granules are all that is read.
    fewRows: terms.length === 0 && noise === undefined && issueKey === undefined && !ranges,
  }
}

/** With only the tuple comparison every later row is read; the primary key can use the bound before it. */
function isAfter({ receivedAt, id }: TimePosition<'receivedAt'>): Sql {
  const time = at(new Date(receivedAt))
  return sql` AND reports.received_at <= ${time} AND (reports.received_at, reports.id) < (${time}, ${uuid(id)})`
}
