import { withProgress } from '../../app/program/show-progress.ts'
import { startEngine } from '../../clickhouse/engine/start-engine.ts'
import { migrate } from '../../clickhouse/migrate.ts'
import { connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type BenchFolder, createBigTenant, totalRows } from './bench-data.ts'
import type { Cleanup } from './cleanup.ts'
import { listTableSizes, loadEngine, type TableSize, waitForMerges } from './engine-load.ts'
import { cpuOf } from './watch-process.ts'

/** The embedded engine with all reports of a folder, merged. */
export interface LoadedEngine {
  /** With the reader's credentials. */
  readonly url: string
  readonly writerUrl: string
  readonly reader: Database
  readonly writer: Database
  readonly tables: readonly TableSize[]
  /** CPU time of the engine's process; 0 during a restart. */
  cpuMs(): number
}

/** Starts the folder's engine on a free port and loads the missing rows. */
export async function openLoadedEngine(folder: BenchFolder, cleanup: Cleanup): Promise<LoadedEngine> {
  const engine = await startEngine({
    dataDir: folder.path,
    port: 0,
    onDeath: () => process.stderr.write('The embedded engine died and restarts\n'),
  })
  cleanup.defer(() => engine.stop())
  const [reader, writer] = [connect(engine.userUrls.reader), connect(engine.userUrls.writer)]
  cleanup.defer(() => Promise.all([reader.close(), writer.close()]))
  await migrate(writer)
  await createBigTenant(writer, folder.state)
  await fillEngine(folder, writer)
  await merge(folder, writer)
  return {
    url: engine.userUrls.reader,
    writerUrl: engine.userUrls.writer,
    reader,
    writer,
    tables: await listTableSizes(writer),
    cpuMs() {
      const pid = engine.pid()
      return pid === undefined ? 0 : cpuOf(pid)
    },
  }
}

async function fillEngine({ state, update: updateState }: BenchFolder, writer: Database): Promise<void> {
  const rows = totalRows(state)
  if (state.rowsStored === rows) return
  const { loadMs: before, rowsStored: first } = state
  const started = performance.now()
  await withProgress(process.stderr, rows - first, (update) =>
    loadEngine(writer, state, first, async (rowsStored) => {
      update(rowsStored - first, `Loading reports: ${rowsStored}`)
      await updateState({ rowsStored, loadMs: before + performance.now() - started })
    }),
  )
}

async function merge({ state, update: updateState }: BenchFolder, writer: Database): Promise<void> {
  const started = performance.now()
  await withProgress(process.stderr, undefined, (update) =>
    waitForMerges(writer, (merges, parts) => update(0, `Merging: ${merges} merges, ${parts} parts`)),
  )
  if (state.rowsMerged === state.rowsStored) return
  const mergeMs = state.mergeMs + performance.now() - started
  await updateState({ mergeMs, rowsMerged: state.rowsStored })
}
