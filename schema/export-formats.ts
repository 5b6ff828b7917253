/** Formats of an export, with their names in ClickHouse. */
export const exportFormats = {
  ndjson: { mediaType: 'application/x-ndjson', clickHouse: 'JSONEachRow' },
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', clickHouse: 'CSVWithNames' },
  parquet: { mediaType: 'application/vnd.apache.parquet', clickHouse: 'Parquet' },
} as const

export type ExportFormat = keyof typeof exportFormats

export const exportFormatNames = Object.keys(exportFormats) as [ExportFormat, ...ExportFormat[]]

/**
 * Spreadsheets run a cell that begins with one of these (OWASP ASVS 5, 1.2.10); East Asian ones accept the full-width
 * form too.
 */
export const formulaStarts: readonly string[] = ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '＝', '＋', '－', '＠']
