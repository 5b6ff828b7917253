import type { BenchResults, QueryOutcome, Timing } from './results.ts'
import { mostFloors, ratioFromMs, targetRows } from './targets.ts'

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

const ratio = (other: Timing | undefined, api: Timing | undefined) =>
  other && api ? `${(other.p50 / api.p50).toFixed(1)}x` : '-'

function queryRow({ name, status, api, plain, duckDb, missed = [] }: QueryOutcome): string[] {
  const verdict = status === 'measured' ? missed.join(', ') || 'ok' : status.toUpperCase()
  return [
    name,
    ...[api, plain, duckDb].map((timing) => formatNumber(timing?.p50)),
    ...[plain, duckDb].map((other) => ratio(other, api)),
    ...[api, plain].map((timing) => formatNumber(timing?.cpu)),
    ...[api, plain].map((timing) => formatNumber(timing?.rowsRead)),
    verdict,
  ]
}

const head = [
  'query; times in ms',
  ...['API', 'plain SQL', 'DuckDB', 'plain by API', 'DuckDB by API'],
  ...['API CPU', 'plain CPU', 'API rows', 'plain rows', 'target'],
]

/** What the table means, for a reader of it alone. */
function describeTargets({ rows, floorMs, queries }: BenchResults): string[] {
  if (floorMs === undefined) return []
  const below = queries.filter(({ plain }) => plain && plain.p50 < ratioFromMs).length
  const share = Math.min(1, rows / targetRows)
  return [
    `Times are medians, CPU is of all cores, and rows are what ClickHouse read. A request that reads no report takes ${formatNumber(floorMs)} ms here.`,
    `Plain SQL reads the reports themselves, the API mostly rollups, whose rows grow less: it pays the more reports there are.`,
    `A target is of ${formatNumber(targetRows)} reports${share < 1 ? `: here ${share.toFixed(3)} of its ratio, at least 1x` : ''}. Plain SQL takes less than ${ratioFromMs} ms for ${below} queries, which may take ${formatNumber(mostFloors * floorMs)} ms.`,
  ]
}

const duckDbLoad = (rowsPerSecond: number | undefined) =>
  rowsPerSecond === undefined ? 'Without DuckDB' : `DuckDB loaded at ${formatNumber(rowsPerSecond)} rows/s`

export function describeResults(results: BenchResults): string {
  const { rows, load, tables, queries, machine } = results
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const sizeRow = ({ table, rows: stored, bytes, parts }: BenchResults['tables'][number]) => [
    table,
    formatNumber(stored),
    formatNumber(bytes),
    (bytes / rows).toFixed(1),
    String(parts),
  ]
  const notes = queries.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []))
  const missed = queries.filter((query) => (query.missed ?? []).length > 0)
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
    ...describeTargets(results),
    ...notes,
    `${missed.length} of ${queries.length} queries miss a target${missed.map(({ name }) => `\n  ${name}`).join('')}`,
    '',
  ].join('\n')
}
