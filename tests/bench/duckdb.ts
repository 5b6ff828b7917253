import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { withProgress } from '../../app/program/show-progress.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type BenchFolder, totalRows } from './bench-data.ts'
import { type Block, blocksFrom, type Generated, generatedColumns, generatedReports } from './generated-reports.ts'

/** DuckDB with the folder's reports. */
export interface DuckDb {
  /** All rows; whole numbers can be text. */
  query(statement: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const threads = '2'

/** Columns that no query needs, or only for a long text of the rows shown. */
const excluded = new Set(['age_ms', 'retention_days', 'column_number', 'sample', 'policy', 'referrer'])
const timeColumns = ['received_at', 'anticipated_removal_at']
const copiedColumns = generatedColumns.filter((column) => !excluded.has(column) && !timeColumns.includes(column))

const databasePath = ({ path }: BenchFolder) => join(path, 'duckdb.db')

export async function openDuckDb(folder: BenchFolder): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(databasePath(folder), { threads })
  const connection = await instance.connect()
  let running: Promise<unknown> = Promise.resolve()
  return {
    async query(statement) {
      const result = connection.runAndReadAll(statement)
      running = result
      return (await result).getRowObjectsJson()
    },
    async close() {
      // closeSync during a statement never returns.
      connection.interrupt()
      await running.catch(() => undefined)
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Loads the missing rows, from Parquet that ClickHouse writes block by block. */
export async function fillDuckDb(folder: BenchFolder, writer: Database): Promise<void> {
  const { state, update: updateState } = folder
  const rows = totalRows(state)
  if (state.duckDbRows === rows) return
  const duckDb = await openDuckDb(folder)
  try {
    const first = await countRows(duckDb)
    const before = first === 0 ? 0 : state.duckDbMs
    const started = performance.now()
    await withProgress(process.stderr, rows - first, (update) =>
      fill(duckDb, writer, folder, first, async (stored) => {
        update(stored - first, `Loading DuckDB: ${stored}`)
        await updateState({ duckDbMs: before + performance.now() - started })
      }),
    )
    await duckDb.query('CHECKPOINT')
    await updateState({ duckDbRows: rows, duckDbMs: before + performance.now() - started })
  } finally {
    await duckDb.close()
  }
}

/** Whole blocks: each is one statement, so an interrupted load leaves no partial block. */
async function countRows(duckDb: DuckDb): Promise<number> {
  const tables = await duckDb.query(`SELECT table_name FROM duckdb_tables() WHERE table_name = 'reports'`)
  if (tables.length === 0) return 0
  return Number((await duckDb.query('SELECT count(*) AS n FROM reports'))[0]?.n)
}

async function fill(
  duckDb: DuckDb,
  writer: Database,
  folder: BenchFolder,
  first: number,
  onBlock: (rows: number) => Promise<void>,
): Promise<void> {
  const generated = folder.state
  const defaults = await listDefaultColumns(writer)
  const file = join(folder.path, 'block.parquet')
  const blocks = blocksFrom(generated, first)
  const startNext = () => {
    const { value } = blocks.next()
    return value && { block: value, written: parquetOf(writer, generated, defaults, value) }
  }
  for (let current = startNext(); current; ) {
    const bytes = await current.written
    // ClickHouse writes the next block while DuckDB reads this one.
    const next = startNext()
    next?.written.catch(() => undefined)
    await writeFile(file, bytes)
    const columns = [...copiedColumns, ...defaults.map(({ name }) => name)]
    const times = timeColumns.map((column) => `epoch_ms(${column}_ms) AS ${column}`)
    const rows = `SELECT ${[...columns, ...times].join(', ')} FROM read_parquet('${file}')`
    await duckDb.query(current.block.first === 0 ? `CREATE TABLE reports AS ${rows}` : `INSERT INTO reports ${rows}`)
    await onBlock(current.block.end)
    current = next
  }
  await rm(file, { force: true })
}

/** A column that the table computes from others. */
interface DefaultColumn {
  readonly name: string
  readonly expression: string
}

async function listDefaultColumns(writer: Database): Promise<DefaultColumn[]> {
  const columns = `
SELECT name, default_expression AS expression
FROM system.columns
WHERE database = currentDatabase()
  AND table = 'reports'
  AND default_kind = 'DEFAULT'`
  return ((await json(await writer.stream(columns, 'JSON'))) as { data: DefaultColumn[] }).data
}

/** Fast to write; a block is read once and deleted. */
const parquetSettings = { output_format_parquet_compression_method: 'lz4' } as const

async function parquetOf(
  writer: Database,
  generated: Generated,
  defaults: readonly DefaultColumn[],
  block: Block,
): Promise<Buffer> {
  const rows = generatedReports(generated, block)
  const columns = [
    ...copiedColumns,
    ...defaults.map(({ name, expression }) => `${expression} AS ${name}`),
    ...timeColumns.map((column) => `toUnixTimestamp64Milli(${column}) AS ${column}_ms`),
  ]
  return buffer(
    await writer.stream(`SELECT ${columns.join(', ')} FROM (${rows})`, 'Parquet', { settings: parquetSettings }),
  )
}
