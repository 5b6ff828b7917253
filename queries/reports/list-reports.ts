import type { z } from 'zod'
import { dimensionRows } from '../../schema/dimensions.ts'
import { type Report, report } from '../../schema/replies/report.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { emptyValueOf, storedFieldRows } from '../../schema/stored-report.ts'
import { matches } from '../matches.ts'
import { within } from '../parts.ts'
import type { Query } from '../query.ts'
import type { Span } from '../rules/coverage.ts'
import { at, empty, join, name, type Sql, sql, text, uint, uint64, uuid } from '../sql.ts'

/** Where a newest-first page of reports left off. */
export interface ReportPosition {
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number
  readonly id: string
}

/** Which reports a list is of. */
interface ListFilter extends ReportFilter {
  /** Only reports of an issue, and only those received in some spans, of which there must be one. */
  readonly issue?: { readonly key: bigint; readonly spans: readonly Span[] }
}

/** The empty value stands for the missing one in the store, where that is not null, and null in an answer. */
const emptyValues = new Map<unknown, Sql>([
  ['', sql`''`],
  [0, sql`0`],
])

function project(field: keyof Report): Sql {
  const row = storedFieldRows[field]
  const column = name(row.column)
  const shape: z.ZodType = report.shape[field]
  const empty = shape.isNullable() ? emptyValues.get(emptyValueOf(row)) : undefined
  return sql`${empty ? sql`nullIf(${column}, ${empty})` : column} AS ${name(field)}`
}

const projection = join((Object.keys(report.shape) as (keyof Report)[]).map(project), ', ')

/** Reports newest first, after a position; one primary-key range, whatever the depth. */
export function listReports(
  tenantId: string,
  window: Span,
  { reportType, terms, issue }: ListFilter,
  after: ReportPosition | undefined,
  limit: number,
): Query<Report> {
  const conditions = [
    sql`tenant_id = ${uuid(tenantId)}`,
    sql`report_type = ${text(reportType)}`,
    sql`received_at >= ${at(new Date(window.from))}`,
    sql`received_at < ${at(new Date(window.to))}`,
    ...terms.map((term) => matches(name(dimensionRows[term.dimension].column), term)),
    ...(issue ? [sql`issue_key = ${uint64(issue.key)}`, within('received_at', issue.spans)] : []),
  ]
  return {
    name: 'listReports',
    statement: sql`SELECT ${projection} FROM reports WHERE ${join(conditions, ' AND ')}${after ? keyset(after) : empty} ORDER BY reports.received_at DESC, reports.id DESC LIMIT ${uint(limit)}`,
    row: report,
  }
}

/** The tuple comparison alone reads every later row; the bound beside it is what the primary key can use. */
function keyset({ receivedAt, id }: ReportPosition): Sql {
  const time = at(new Date(receivedAt))
  return sql` AND reports.received_at <= ${time} AND (reports.received_at, reports.id) < (${time}, ${uuid(id)})`
}
