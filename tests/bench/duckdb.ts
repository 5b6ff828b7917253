import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { withProgress } from '../../app/cli/show-progress.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import { type BenchFolder, rowsOf } from './bench-data.ts'
import { type Block, blocksFrom, type Generated, generatedColumns, generatedReports } from './generated-reports.ts'

/** The same reports in DuckDB. */
export interface DuckDb {
  /** Every row of an answer; whole numbers can be text. */
  ask(statement: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const threads = '2'

/** What no question reads, or only as a long text of the few rows shown. */
const leftOut = new Set(['age_ms', 'retention_days', 'column_number', 'sample', 'policy', 'referrer'])
const moments = ['received_at', 'anticipated_removal_at']
const plain = generatedColumns.filter((column) => !leftOut.has(column) && !moments.includes(column))

const databasePath = ({ path }: BenchFolder) => join(path, 'duckdb.db')

/** Opens the folder's DuckDB with two threads. */
export async function openDuckDb(folder: BenchFolder): Promise<DuckDb> {
  const instance = await DuckDBInstance.create(databasePath(folder), { threads })
  const connection = await instance.connect()
  let running: Promise<unknown> = Promise.resolve()
  return {
    async ask(statement) {
      const asked = connection.runAndReadAll(statement)
      running = asked
      return (await asked).getRowObjectsJson()
    },
    async close() {
      // A connection that is closed while a statement runs never comes back.
      connection.interrupt()
      await running.catch(() => undefined)
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Loads what the folder's DuckDB misses, from Parquet that the engine writes block by block. */
export async function fillDuckDb(folder: BenchFolder, writer: Database): Promise<void> {
  const { state, note } = folder
  const rows = rowsOf(state)
  if (state.duckDbRows === rows) return
  const duckDb = await openDuckDb(folder)
  try {
    const first = await countRows(duckDb)
    const before = first === 0 ? 0 : state.duckDbMilliseconds
    const started = performance.now()
    await withProgress(process.stderr, rows - first, (update) =>
      fill(duckDb, writer, folder, first, async (stored) => {
        update(stored - first, `Loading DuckDB: ${stored}`)
        await note({ duckDbMilliseconds: before + performance.now() - started })
      }),
    )
    await duckDb.ask('CHECKPOINT')
    await note({ duckDbRows: rows, duckDbMilliseconds: before + performance.now() - started })
  } finally {
    await duckDb.close()
  }
}

/** Rows of the blocks that are in; each is one statement, so that a load cut off leaves whole ones. */
async function countRows(duckDb: DuckDb): Promise<number> {
  const tables = await duckDb.ask(`SELECT table_name FROM duckdb_tables() WHERE table_name = 'reports'`)
  if (tables.length === 0) return 0
  return Number((await duckDb.ask('SELECT count(*) AS n FROM reports'))[0]?.n)
}

async function fill(
  duckDb: DuckDb,
  writer: Database,
  folder: BenchFolder,
  first: number,
  onBlock: (rows: number) => Promise<void>,
): Promise<void> {
  const generated = folder.state
  const made = await listMadeColumns(writer)
  const file = join(folder.path, 'block.parquet')
  const blocks = blocksFrom(generated, first)
  const following = () => {
    const { value } = blocks.next()
    return value && { block: value, written: parquetOf(writer, generated, made, value) }
  }
  for (let now = following(); now; ) {
    const bytes = await now.written
    // The engine writes the next block while DuckDB reads this one.
    const next = following()
    next?.written.catch(() => undefined)
    await writeFile(file, bytes)
    const columns = [...plain, ...made.map(({ name }) => name)]
    const times = moments.map((column) => `epoch_ms(${column}_ms) AS ${column}`)
    const rows = `SELECT ${[...columns, ...times].join(', ')} FROM read_parquet('${file}')`
    await duckDb.ask(now.block.first === 0 ? `CREATE TABLE reports AS ${rows}` : `INSERT INTO reports ${rows}`)
    await onBlock(now.block.end)
    now = next
  }
  await rm(file, { force: true })
}

/** A column that the table makes of others. */
interface MadeColumn {
  readonly name: string
  readonly expression: string
}

async function listMadeColumns(writer: Database): Promise<MadeColumn[]> {
  const columns = `SELECT name, default_expression AS expression FROM system.columns WHERE database = currentDatabase() AND table = 'reports' AND default_kind = 'DEFAULT'`
  return ((await json(await writer.stream(columns, 'JSON'))) as { data: MadeColumn[] }).data
}

/** A block is read once and deleted. */
const quickly = { output_format_parquet_compression_method: 'lz4' } as const

async function parquetOf(
  writer: Database,
  generated: Generated,
  made: readonly MadeColumn[],
  block: Block,
): Promise<Buffer> {
  const rows = generatedReports(generated, block)
  const columns = [
    ...plain,
    ...made.map(({ name, expression }) => `${expression} AS ${name}`),
    ...moments.map((column) => `toUnixTimestamp64Milli(${column}) AS ${column}_ms`),
  ]
  return buffer(await writer.stream(`SELECT ${columns.join(', ')} FROM (${rows})`, 'Parquet', { settings: quickly }))
}
