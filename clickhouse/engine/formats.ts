const octets = 'application/octet-stream'
const tsv = 'text/tab-separated-values; charset=UTF-8'
const csv = 'text/csv; charset=UTF-8'
const lines = 'application/x-ndjson; charset=UTF-8'

const contentTypes: Record<string, string> = {
  tabseparated: tsv,
  tsv,
  csv: `${csv}; header=absent`,
  jsoneachrow: lines,
  jsonlines: lines,
  ndjson: lines,
  xml: 'application/xml; charset=UTF-8',
  parquet: octets,
  arrow: octets,
  arrowstream: octets,
  orc: octets,
  native: octets,
  rowbinary: octets,
}

/** The Content-Type a ClickHouse server names for an output format. */
export function contentTypeOf(format: string): string {
  const name = format.toLowerCase()
  const [bare, named] = name.split('withnames', 2)
  const known = contentTypes[bare ?? name]
  if (known)
    return named !== undefined && known.startsWith('text/') ? `${known.split('; header')[0]}; header=present` : known
  return name.startsWith('json') ? 'application/json; charset=UTF-8' : 'text/plain; charset=UTF-8'
}

const rowsAlone = new Set(
  (
    'tabseparated tsv tabseparatedraw tsvraw csv jsoneachrow jsonlines ndjson jsonstringseachrow jsoncompacteachrow ' +
    'jsoncompactstringseachrow rowbinary native'
  ).split(' '),
)

/** Whether pieces of a result in this format can follow each other; other formats repeat a head in every piece. */
export function standsInPieces(format: string): boolean {
  return rowsAlone.has(format.toLowerCase())
}
