import type { BenchResults, QueryOutcome, Timing } from './results.ts'

/** Aligns cells: the first column left, the others right. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

export function formatNumber(value: number | undefined): string {
  if (value === undefined) return '-'
  if (value >= 1e9) return `${(value / 1e9).toFixed(2)} G`
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} k`
  return value >= 100 ? value.toFixed(0) : value.toFixed(1)
}

const times = (timing: Timing | undefined) => [
  formatNumber(timing?.p50),
  formatNumber(timing?.p95),
  formatNumber(timing?.cpu),
]
const ratio = (value: number | undefined) => (value === undefined ? '-' : `${value.toFixed(1)}x`)

function queryRow({ name, status, api, plain, duckDb, ...rest }: QueryOutcome): string[] {
  const verdict = status === 'measured' ? (rest.missed ?? []).join(', ') : status.toUpperCase()
  return [
    name,
    ...times(api),
    ...times(plain),
    ...times(duckDb),
    ratio(rest.plainRatio),
    ratio(rest.duckDbRatio),
    formatNumber(api?.rowsRead),
    formatNumber(plain?.rowsRead),
    formatNumber(api?.bytesRead),
    formatNumber(plain?.bytesRead),
    verdict === '' ? 'ok' : verdict,
  ]
}

const head = [
  'query, ms',
  ...['API p50', 'p95', 'CPU', 'plain p50', 'p95', 'CPU', 'DuckDB p50', 'p95', 'CPU'],
  ...['by plain', 'by DuckDB', 'API rows', 'plain rows', 'API bytes', 'plain bytes', 'targets missed'],
]

const duckDbLoad = (rowsPerSecond: number | undefined) =>
  rowsPerSecond === undefined ? 'Without DuckDB' : `DuckDB loaded at ${formatNumber(rowsPerSecond)} rows/s`

export function describeResults({ rows, load, tables, queries, machine }: BenchResults): string {
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const sizeRow = ({ table, rows: stored, bytes, parts }: BenchResults['tables'][number]) => [
    table,
    formatNumber(stored),
    formatNumber(bytes),
    (bytes / rows).toFixed(1),
    String(parts),
  ]
  const notes = queries.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []))
  const missed = queries.filter((query) => (query.missed ?? []).length > 0).length
  const duckDbSize =
    load.duckDbBytes === undefined ? '' : `; DuckDB, without long texts, ${(load.duckDbBytes / rows).toFixed(1)}`
  return [
    `${formatNumber(rows)} reports, ${machine.cores} cores, load average ${machine.loadAverage.toFixed(1)}`,
    `Loaded at ${formatNumber(load.rowsPerSecond)} rows/s with every view, merged in ${formatNumber(load.mergeSeconds)} s`,
    duckDbLoad(load.duckDbRowsPerSecond),
    `On disk ${(total / rows).toFixed(1)} bytes a report${duckDbSize}`,
    '',
    toTable([['table', 'rows', 'bytes', 'bytes a report', 'parts'], ...tables.map(sizeRow)]),
    '',
    toTable([head, ...queries.map(queryRow)]),
    '',
    ...notes,
    `${missed} of ${queries.length} queries miss a target`,
    '',
  ].join('\n')
}
