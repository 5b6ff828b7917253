import { z } from 'zod'
import { countExport, exportReports } from '../../../queries/reports/export-reports.ts'
import { onlyRow } from '../../../queries/sql/rows.ts'
import { exportFieldsParam } from '../../../schema/export-fields.ts'
import { exportFormatNames, exportFormats } from '../../../schema/export-formats.ts'
import { oneOf } from '../../../schema/params.ts'
import { reportFilterAdditions, reportFilterParams, toReportFilter } from '../../../schema/report-filter.ts'
import { reportFieldNames } from '../../../schema/responses/report.ts'
import type { Download } from '../../pipeline/download.ts'
import { endpoint } from '../../pipeline/endpoint.ts'
import { windows } from '../../pipeline/windows.ts'
import { countedLines } from './counted-lines.ts'

/** Reports that one token of the budgets pays for. */
const reportsPerToken = 10_000

export const reportsExport = endpoint({
  name: 'reports.export',
  path: '/v1/reports/export',
  summary: 'Export reports',
  description:
    'All reports of a type in the window, newest first. `Export-Report-Count` is their number, counted before the export; reports imported during the export can be added. On a fault the connection is reset, so curl fails; a complete NDJSON export ends with the line `{"end":{"reports":n}}`. CSV cells that begin like a formula get a leading apostrophe. An export costs one more request per 10,000 reports. Only one export per tenant runs at a time.',
  query: {
    ...reportFilterParams,
    ...reportFilterAdditions,
    format: oneOf(
      exportFormatNames,
      'Format: ndjson has one report per line, as in the list; csv has a header line; parquet has column types',
    ).default('ndjson'),
    fields: exportFieldsParam,
    end: oneOf(['true', 'false'], 'If false, NDJSON has no final `end` line').default('true'),
  },
  parse: toReportFilter,
  window: windows.weekByDefault,
  mediaTypes: exportFormatNames.map((format) => exportFormats[format].mediaType),
  response: z.custom<Download>(),
  async handle({ caller, window, filter, params, read, charge, openExport }) {
    const { reportCount } = onlyRow(await read(countExport(caller.tenant.id, window, filter)))
    const tokens = Math.floor(reportCount / reportsPerToken)
    if (tokens > 0) await charge(tokens)
    const { format, fields = reportFieldNames } = params
    return {
      mediaType: exportFormats[format].mediaType,
      fileName: `${filter.reportType}.${format}`,
      headers: { 'Export-Report-Count': String(reportCount) },
      open: () => openExport(exportReports(caller.tenant.id, window, filter, { fields, format })),
      passOn: (bytes) => (format === 'ndjson' ? countedLines(bytes, reportCount, params.end === 'true') : bytes),
    }
  },
})
