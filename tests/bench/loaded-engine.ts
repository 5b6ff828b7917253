import { withProgress } from '../../app/cli/show-progress.ts'
import { startEngine } from '../../clickhouse/engine/start-engine.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { connect, type Database } from '../../queries/clickhouse/client.ts'
import { type BenchFolder, createBigTenant, rowsOf } from './bench-data.ts'
import type { Closers } from './cleanup.ts'
import { listTableSizes, loadEngine, type TableSize, waitForMerges } from './engine-load.ts'
import { cpuOf } from './watch-process.ts'

/** The embedded engine with a folder's reports in it, merged. */
export interface LoadedEngine {
  /** With the reader's name and password. */
  readonly url: string
  readonly reader: Database
  readonly writer: Database
  readonly tables: readonly TableSize[]
  /** CPU time that the engine's process has taken; 0 while it is being started again. */
  cpuMilliseconds(): number
}

/** Starts the folder's engine on a free port and loads what is missing. */
export async function openLoaded(folder: BenchFolder, closers: Closers): Promise<LoadedEngine> {
  const engine = await startEngine({
    dataDir: folder.path,
    port: 0,
    onDeath: () => process.stderr.write('The embedded engine died and is started again\n'),
  })
  closers.add(() => engine.stop())
  const [reader, writer] = [connect(engine.userUrls.reader), connect(engine.userUrls.writer)]
  closers.add(() => Promise.all([reader.close(), writer.close()]))
  await migrate(writer)
  await createBigTenant(writer, folder.state)
  await fillEngine(folder, writer)
  await merge(folder, writer)
  return {
    url: engine.userUrls.reader,
    reader,
    writer,
    tables: await listTableSizes(writer),
    cpuMilliseconds() {
      const pid = engine.pid()
      return pid === undefined ? 0 : cpuOf(pid)
    },
  }
}

async function fillEngine({ state, note }: BenchFolder, writer: Database): Promise<void> {
  const rows = rowsOf(state)
  if (state.rowsStored === rows) return
  const { loadMilliseconds: before, rowsStored: first } = state
  const started = performance.now()
  await withProgress(process.stderr, rows - first, (update) =>
    loadEngine(writer, state, first, async (rowsStored) => {
      update(rowsStored - first, `Loading reports: ${rowsStored}`)
      await note({ rowsStored, loadMilliseconds: before + performance.now() - started })
    }),
  )
}

async function merge({ state, note }: BenchFolder, writer: Database): Promise<void> {
  const started = performance.now()
  await withProgress(process.stderr, undefined, (update) =>
    waitForMerges(writer, (merges, parts) => update(0, `Merging: ${merges} merges, ${parts} parts`)),
  )
  if (state.rowsMerged === state.rowsStored) return
  const mergeMilliseconds = state.mergeMilliseconds + performance.now() - started
  await note({ mergeMilliseconds, rowsMerged: state.rowsStored })
}
