import { z } from 'zod'
import type { ExportField } from '../../schema/export-fields.ts'
import { type ExportFormat, exportFormats, formulaStarts } from '../../schema/export-formats.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { fieldsOfType, type Report, report } from '../../schema/responses/report.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { emptyValueOf, type KindValues, storedFieldRows } from '../../schema/stored-report.ts'
import type { ExportQuery, Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { empty, join, name, type Sql, sql, texts } from '../sql/sql.ts'
import { newestFirst, reportsWhere } from './reports-where.ts'
import { type StoredRange, storedOrder, within } from './stored-order.ts'

type Field = ExportField

const nulls: Partial<Record<keyof KindValues, Sql>> = {
  bool: sql`CAST(NULL, 'Nullable(Bool)')`,
  time: sql`CAST(NULL, 'Nullable(DateTime64(3, \\'UTC\\'))')`,
  uint16: sql`CAST(NULL, 'Nullable(UInt16)')`,
  uint32: sql`CAST(NULL, 'Nullable(UInt32)')`,
}

const nullText = sql`CAST(NULL, 'Nullable(String)')`

/** A field as in the list: null if the browser did not report it or the type does not have it. */
function listed(field: Field, own: ReadonlySet<Field>): Sql {
  const { column, kind } = storedFieldRows[field]
  const stored = sql`reports.${name(column)}`
  if (kind === 'uuid') return sql`toString(${stored})`
  const shape = isListed(field) ? report.shape[field] : undefined
  if (shape && !shape.isNullable()) return stored
  if (shape && !own.has(field)) return nulls[kind] ?? nullText
  const empty = emptyValueOf(storedFieldRows[field])
  if (empty === null) return stored
  return empty === '' ? sql`nullIf(${stored}, '')` : sql`nullIf(${stored}, 0)`
}

const isListed = (field: Field): field is keyof Report => field in report.shape

const guarded = (value: Sql): Sql =>
  sql`if(substringUTF8(${value}, 1, 1) IN ${texts(formulaStarts)}, concat('\\'', ${value}), ${value})`

const isText = (field: Field) => ['text', 'word'].includes(storedFieldRows[field].kind)

const countRow = z.object({ reportCount: rowCount })

/** Counts rows, not rollups, which can still count reports whose shorter retention is over. */
export const countExport = (
  tenantId: string,
  window: TimeRange,
  filter: ReportFilter,
  stored?: StoredRange,
): Query<z.infer<typeof countRow>> => ({
  name: 'countExport',
  statement: sql`
    SELECT count() AS reportCount
    FROM reports
    WHERE ${reportsWhere(tenantId, window, filter)}${stored ? within(stored) : empty}`,
  row: countRow,
})

interface ExportOptions {
  /** Columns, in their order. */
  readonly fields: readonly Field[]
  readonly format: ExportFormat
  /** Only these reports of the window, in the order of storing. */
  readonly stored?: StoredRange | undefined
}

/** Every report of the window, newest first. */
export function exportReports(
  tenantId: string,
  window: TimeRange,
  filter: ReportFilter,
  { fields, format, stored }: ExportOptions,
): ExportQuery {
  const own = new Set(fieldsOfType(filter.reportType))
  const columns = fields.map((field) => {
    const value = listed(field, own)
    return sql`${format === 'csv' && isText(field) ? guarded(value) : value} AS ${name(field)}`
  })
  return {
    name: 'exportReports',
    statement: sql`
      SELECT ${join(columns, ', ')}
      FROM reports
      WHERE ${reportsWhere(tenantId, window, filter)}${stored ? within(stored) : empty}
      ${stored ? storedOrder : newestFirst}`,
    format: exportFormats[format].clickHouse,
  }
}
