const contentTypes: Record<string, string> = {
  TabSeparated: 'text/tab-separated-values; charset=UTF-8',
  TSV: 'text/tab-separated-values; charset=UTF-8',
  TSVWithNames: 'text/tab-separated-values; charset=UTF-8; header=present',
  TabSeparatedWithNames: 'text/tab-separated-values; charset=UTF-8; header=present',
  TSVWithNamesAndTypes: 'text/tab-separated-values; charset=UTF-8; header=present',
  TabSeparatedWithNamesAndTypes: 'text/tab-separated-values; charset=UTF-8; header=present',
  CSV: 'text/csv; charset=UTF-8; header=absent',
  CSVWithNames: 'text/csv; charset=UTF-8; header=present',
  CSVWithNamesAndTypes: 'text/csv; charset=UTF-8; header=present',
  JSONEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONLines: 'application/x-ndjson; charset=UTF-8',
  NDJSON: 'application/x-ndjson; charset=UTF-8',
  XML: 'application/xml; charset=UTF-8',
  Parquet: 'application/octet-stream',
  Arrow: 'application/octet-stream',
  ArrowStream: 'application/octet-stream',
  ORC: 'application/octet-stream',
  Native: 'application/octet-stream',
  RowBinary: 'application/octet-stream',
  RowBinaryWithNames: 'application/octet-stream',
  RowBinaryWithNamesAndTypes: 'application/octet-stream',
}

/** The Content-Type a ClickHouse server names for an output format. */
export function contentTypeOf(format: string): string {
  const known = contentTypes[format]
  if (known) return known
  return format.startsWith('JSON') ? 'application/json; charset=UTF-8' : 'text/plain; charset=UTF-8'
}

/** Formats whose rows stand alone, so pieces of a result can follow each other; others repeat a head in every piece. */
export const streamedFormats: ReadonlySet<string> = new Set([
  'TabSeparated',
  'TSV',
  'TabSeparatedRaw',
  'TSVRaw',
  'CSV',
  'JSONEachRow',
  'JSONLines',
  'NDJSON',
  'JSONStringsEachRow',
  'JSONCompactEachRow',
  'JSONCompactStringsEachRow',
  'RowBinary',
  'Native',
])

/** Formats with one row a line and no raw line end inside a row, so a body can be cut behind a line. */
export const lineFormats: ReadonlySet<string> = new Set([
  'TabSeparated',
  'TSV',
  'TabSeparatedRaw',
  'TSVRaw',
  'JSONEachRow',
  'JSONLines',
  'NDJSON',
  'JSONStringsEachRow',
  'JSONCompactEachRow',
  'JSONCompactStringsEachRow',
  'LineAsString',
])
