/** Formats of an export, with what ClickHouse calls them. */
export const exportFormats = {
  ndjson: { mediaType: 'application/x-ndjson', clickHouse: 'JSONEachRow' },
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', clickHouse: 'CSVWithNames' },
  parquet: { mediaType: 'application/vnd.apache.parquet', clickHouse: 'Parquet' },
} as const

export type ExportFormat = keyof typeof exportFormats

export const exportFormatNames = Object.keys(exportFormats) as [ExportFormat, ...ExportFormat[]]
