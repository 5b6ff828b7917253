import { percentile } from './percentile.ts'
import type { BenchResults, QueryOutcome, Timing } from './results.ts'
import { formatRatio, mostFloors, ratioFromMs, targetRows } from './targets.ts'

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
  other && api ? `${formatRatio(other.p50 / api.p50)}x` : '-'

function queryRow({ name, status, api, plain, duckDb, missed = [] }: QueryOutcome): string[] {
  const verdict = missed.length > 0 ? 'missed' : 'ok'
  return [
    name,
    ...[api, plain, duckDb].map((timing) => formatNumber(timing?.p50)),
    ...[plain, duckDb].map((other) => ratio(other, api)),
    ...[api, plain].map((timing) => formatNumber(timing?.cpu)),
    ...[api, plain].map((timing) => formatNumber(timing?.rowsRead)),
    status === 'measured' ? verdict : status.toUpperCase(),
  ]
}

const head = [
  'query; times in ms',
  ...['API', 'plain SQL', 'DuckDB', 'to plain SQL', 'to DuckDB'],
  ...['API CPU', 'plain CPU', 'API rows', 'plain rows', 'target'],
]

/** What the table means, for a reader of it alone. */
function describeTargets({ rows, floorMs, machine, queries }: BenchResults): string[] {
  if (floorMs === undefined) return []
  const judgedFrom = ratioFromMs({ floorMs })
  const below = queries.filter(({ plain }) => plain && plain.p50 < judgedFrom).length
  const { cores, loadAverage } = machine
  return [
    `Times are medians, CPU is of all cores, and rows are what ClickHouse read. 2.0x: the API takes half of the other's time.`,
    `Plain SQL reads the reports themselves, the API mostly rollups, whose rows grow less: it pays the more reports there are.`,
    `A request that reads no report takes ${formatNumber(floorMs)} ms here. A query may take ${mostFloors} times that where plain SQL takes less than ${formatNumber(judgedFrom)} ms: ${below} of ${queries.length}.`,
    `The others are judged by their ratios: ${rows < targetRows ? `targets are of ${formatNumber(targetRows)} reports, and in proportion here, at least 1x` : 'see README.md'}.`,
    ...(loadAverage > 2 * cores
      ? [`Other programs ran too (load average ${loadAverage.toFixed(0)} on ${cores} cores): compare CPU, not times.`]
      : []),
  ]
}

/** Of plain SQL by the API, of each query that both ran. */
function describeRatio(queries: readonly QueryOutcome[], what: 'p50' | 'cpu'): string {
  const ratios = queries.flatMap(({ api, plain }) => (api && plain && api[what] > 0 ? [plain[what] / api[what]] : []))
  if (ratios.length === 0) return ''
  const faster = ratios.filter((each) => each >= 1).length
  const name = what === 'cpu' ? 'Less CPU than' : 'Faster than'
  return `${name} plain SQL: ${faster} of ${ratios.length} queries, in the median ${formatRatio(percentile(ratios, 0.5))}x`
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
    ...(['p50', 'cpu'] as const).map((what) => describeRatio(queries, what)).filter((line) => line !== ''),
    `${missed.length} of ${queries.length} queries miss a target${missed.map((query) => `\n  ${query.name}: ${query.missed?.join(', ')}`).join('')}`,
    '',
  ].join('\n')
}
