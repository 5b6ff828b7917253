import type { BenchResults, QuestionResult, Timing } from './results.ts'

/** Rows of text as columns, the first to the left and the others to the right. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

/** A few digits are enough to compare. */
export function short(value: number | undefined): string {
  if (value === undefined) return '-'
  if (value >= 1e9) return `${(value / 1e9).toFixed(2)} G`
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} k`
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}

const times = (timing: Timing | undefined) => [short(timing?.p50), short(timing?.p95), short(timing?.cpu)]
const ratio = (value: number | undefined) => (value === undefined ? '-' : `${value.toFixed(1)}x`)

function questionRow({ name, status, api, plain, duckDb, ...rest }: QuestionResult): string[] {
  const said = status === 'measured' ? (rest.missed ?? []).join(', ') : status.toUpperCase()
  return [
    name,
    ...times(api),
    ...times(plain),
    ...times(duckDb),
    ratio(rest.plainRatio),
    ratio(rest.duckDbRatio),
    short(api?.rowsRead),
    short(plain?.rowsRead),
    short(api?.bytesRead),
    short(plain?.bytesRead),
    said === '' ? 'ok' : said,
  ]
}

const head = [
  'question, ms',
  ...['API p50', 'p95', 'CPU', 'plain p50', 'p95', 'CPU', 'DuckDB p50', 'p95', 'CPU'],
  ...['by plain', 'by DuckDB', 'API rows', 'plain rows', 'API bytes', 'plain bytes', 'targets missed'],
]

const duckDbLoad = (rowsPerSecond: number | undefined) =>
  rowsPerSecond === undefined ? 'DuckDB left out by --no-duckdb' : `DuckDB at ${short(rowsPerSecond)} rows/s`

/** A run's results for people. */
export function describeResults({ rows, load, tables, questions, machine }: BenchResults): string {
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const sizeRow = ({ table, rows: stored, bytes, parts }: BenchResults['tables'][number]) => [
    table,
    short(stored),
    short(bytes),
    (bytes / rows).toFixed(1),
    String(parts),
  ]
  const notes = questions.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []))
  const missed = questions.filter((question) => (question.missed ?? []).length > 0).length
  return [
    `${short(rows)} reports, ${machine.cores} cores, load average ${machine.loadAverage.toFixed(1)}`,
    `Loaded at ${short(load.rowsPerSecond)} rows/s with every view, merged by itself in ${short(load.mergeSeconds)} s; ${duckDbLoad(load.duckDbRowsPerSecond)}`,
    `On disk ${(total / rows).toFixed(1)} bytes a report${load.duckDbBytes === undefined ? '' : `; DuckDB, without long texts, ${(load.duckDbBytes / rows).toFixed(1)}`}`,
    '',
    toTable([['table', 'rows', 'bytes', 'bytes a report', 'parts'], ...tables.map(sizeRow)]),
    '',
    toTable([head, ...questions.map(questionRow)]),
    '',
    ...notes,
    `${missed} of ${questions.length} questions miss a target`,
    '',
  ].join('\n')
}
