import { Readable } from 'node:stream'
import { z } from 'zod'
import { countExport, exportReports } from '../../../queries/reports/export-reports.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { exportFieldsParam } from '../../../schema/export-fields.ts'
import { exportFormatNames, exportFormats } from '../../../schema/export-formats.ts'
import { endOfTimes, oneOf } from '../../../schema/params.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { reportFieldNames } from '../../../schema/responses/report.ts'
import type { Download } from '../../pipeline/download.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'
import { countedLines } from './counted-lines.ts'
import { decodeStoredCursor, encodeStoredCursor } from './stored-cursor.ts'
import { findStoredExport, storedParams, storedWindow } from './stored-export.ts'

/** Reports that one token of the budgets pays for. */
const reportsPerToken = 10_000

export const reportsExport = endpoint({
  name: 'reports.export',
  path: '/v1/reports/export',
  summary: 'Export reports',
  description: [
    'All reports of a type in the window, newest first. `Export-Report-Count` is their number, counted before the export; reports imported during the export can be added. On a fault the connection is reset, so curl fails; a complete NDJSON export ends with the line `{"end":{"reports":n}}`. A leading apostrophe is added to CSV cells that begin like a formula. An export counts as one more request per 10,000 reports. Only one export per tenant runs at a time.',
    'With `order=stored` an export contains all reports stored since `from`, including late imports, in the order in which they were stored. To continue, send `after` with the `next` of the last line, or `Next-Cursor`. Together, the exports contain every report once. If there are no new reports, the cursor is unchanged. A cursor does not expire, and is bound to the tenant, report type, filters and format. Reports are exported from two seconds after they are stored; a block that is being stored delays them for at most ten minutes. Reports that were lost in a power cut and stored again are exported again, with the same id.',
  ].join('\n\n'),
  query: {
    ...reportFilterParams,
    ...reportFilterAdditions,
    format: oneOf(
      exportFormatNames,
      'Format: ndjson has one report per line, as in the list; csv has a header line; parquet has column types',
    ).default('ndjson'),
    fields: exportFieldsParam,
    end: oneOf(['true', 'false'], 'If false, NDJSON has no final `end` line').default('true'),
    ...storedParams,
  },
  parse: toReportFilter,
  window: windows.weekByDefault,
  windowFor: storedWindow,
  mediaTypes: exportFormatNames.map((format) => exportFormats[format].mediaType),
  response: z.custom<Download>(),
  async handle({ caller, window, retentionFrom, filter, params, read, charge, openExport }) {
    const { format, fields: named, end, order, after, limit, reportType, ...filters } = params
    const fields = named ?? reportFieldNames
    const tenantId = caller.tenant.id
    const owner = { tenantId, reportType, format, filters }
    const isStored = order === 'stored'
    const whole = isStored ? { ...window, from: retentionFrom, to: endOfTimes } : window
    const start = after === undefined ? { storedAt: window.from, last: null } : decodeStoredCursor(owner, after)
    const { reportCount, range: stored } = isStored
      ? await findStoredExport({ read, tenantId, window: whole, filter, after: start, limit })
      : { ...onlyRow(await read(countExport(tenantId, window, filter))), range: undefined }
    const tokens = Math.floor(reportCount / reportsPerToken)
    if (tokens > 0) await charge(tokens)
    const next = stored && (reportCount === 0 && after !== undefined ? after : encodeStoredCursor(owner, stored.upTo))
    // An export in the order of storing has no schema to send without reports, and does not wait for others.
    const isEmpty = isStored && reportCount === 0 && format === 'ndjson'
    return {
      mediaType: exportFormats[format].mediaType,
      fileName: `${reportType}.${format}`,
      headers: { 'Export-Report-Count': String(reportCount) },
      next,
      open: async () =>
        isEmpty ? Readable.from([]) : openExport(exportReports(tenantId, whole, filter, { fields, format, stored })),
      passOn: (bytes) => (format === 'ndjson' ? countedLines(bytes, reportCount, end === 'true', next) : bytes),
    }
  },
})
