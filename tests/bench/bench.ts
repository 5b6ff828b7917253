import { stat, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { type BenchFolder, openFolder, totalRows } from './bench-data.ts'
import { dataOption, folderPath, integerOption, jsonOption, rowsOption, textOption } from './bench-options.ts'
import { benchQueries } from './bench-queries.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { type DuckDb, fillDuckDb, openDuckDb } from './duckdb.ts'
import { type LoadedEngine, openLoadedEngine } from './loaded-engine.ts'
import { measureFloor, measureQuery, warmUp } from './measure.ts'
import { describeResults } from './print-results.ts'
import type { BenchResults, QueryOutcome } from './results.ts'
import { measuringCommand, printLine, resolveCallerPath, runCommand } from './run-command.ts'
import { startRunningApi } from './running-api.ts'
import { apiSystem, duckDbSystem, plainSystem } from './systems.ts'
import type { BenchScale } from './targets.ts'

interface Values {
  readonly rows: number
  readonly data?: string
  readonly runs: number
  readonly seed: number
  readonly only?: string
  readonly json?: string
  readonly duckdb: boolean
  readonly apiOnly?: true
}

const bench = measuringCommand('npm run bench --', {
  about: 'Time a dashboard’s queries on the API, on plain SQL over the wide table and on DuckDB.',
  notes: [
    'A folder that holds the rows is not loaded again; an interrupted load continues, DuckDB’s too.',
    'A folder of fewer rows (--data) gets the missing ones, over the same 62 days.',
    'Disk: about 250 bytes a report, the engine’s and DuckDB’s files together; 160 without DuckDB.',
    'Memory: about 9 GB during the load.',
    'Exit codes: 0, 1 if results differ or a target is missed, 2 if nothing was measured.',
  ],
  examples: [
    '--rows 1000000',
    '--rows 100000000 --json 100m.json',
    '--rows 300000000 --api-only --json 300m.json',
    '--rows 1000000 --only "grouped by" --runs 50',
  ],
})
  .addOption(rowsOption(10_000_000))
  .addOption(dataOption)
  .addOption(integerOption('--runs <N>', [1, 1000], 15, 'Measured runs of a query'))
  .addOption(integerOption('--seed <N>', [0, 1_000_000], 1, 'Seed of the random windows'))
  .addOption(textOption('--only <TEXT>', 'Only queries with this in their name', 'a text such as "grouped by"'))
  .addOption(jsonOption)
  .addOption(new Option('--no-duckdb', 'Without DuckDB, for a disk with no room for both'))
  .addOption(
    new Option('--api-only', 'Without DuckDB and plain SQL, which takes up to 14 s a query at 100 million reports'),
  )
  .action(async (values) => {
    process.exitCode = await measure(values)
  })

async function measure(values: Values): Promise<number> {
  const { runs, seed, only = '', json, apiOnly, duckdb, ...where } = values
  const withoutDuckDb = apiOnly || !duckdb
  const selected = benchQueries.filter(({ name }) => name.includes(only))
  if (selected.length === 0) throw new Error(`No query has ${JSON.stringify(only)} in its name`)
  const cleanup = createCleanup()
  try {
    const folder = await openFolder(folderPath(where), where.rows, Date.now())
    printLine(`Data in ${folder.path}`)
    const engine = await openLoadedEngine(folder, cleanup)
    const api = await startRunningApi(engine.url)
    cleanup.defer(() => api.stop())
    const duckDb = withoutDuckDb ? undefined : await openFilled(folder, engine, cleanup)
    const systems = {
      api: apiSystem(api, engine, folder.state.key.key),
      ...(!apiOnly && { plain: plainSystem(engine) }),
      ...(duckDb && { duckDb: duckDbSystem(duckDb) }),
    }
    const { from, days } = folder.state
    const options = { runs, seed, span: { from, to: from + days * 86_400_000 } }
    printLine('Warming up')
    await warmUp(systems.api, selected, options)
    await cleanup.haltIfStopping()
    const scale = { rows: totalRows(folder.state), floorMs: await measureFloor(systems.api, options.span) }
    const measured: QueryOutcome[] = []
    for (const [index, query] of selected.entries()) {
      printLine(`${index + 1}/${selected.length} ${query.name}`)
      const result = await measureQuery(query, systems, scale, options)
      await cleanup.haltIfStopping()
      if (result.note) printLine(`  ${result.status}: ${result.note}`)
      measured.push(result)
    }
    const results = await resultsOf(folder, scale, engine.tables, measured, duckDb !== undefined)
    process.stdout.write(describeResults(results))
    if (json !== undefined) await writeFile(resolveCallerPath(json), `${JSON.stringify(results, null, 2)}\n`)
    return measured.some(({ status, missed = [] }) => status === 'different results' || missed.length > 0) ? 1 : 0
  } finally {
    await cleanup.run()
  }
}

async function openFilled(folder: BenchFolder, { writer }: LoadedEngine, cleanup: Cleanup): Promise<DuckDb> {
  await fillDuckDb(folder, writer)
  const duckDb = await openDuckDb(folder)
  cleanup.defer(() => duckDb.close())
  return duckDb
}

async function resultsOf(
  { path, state }: BenchFolder,
  { rows, floorMs }: BenchScale,
  tables: readonly BenchResults['tables'][number][],
  measured: readonly QueryOutcome[],
  withDuckDb: boolean,
): Promise<BenchResults> {
  return {
    rows,
    at: new Date().toISOString(),
    machine: {
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      node: process.version,
      loadAverage: loadavg()[0] ?? 0,
    },
    load: {
      rowsPerSecond: (rows / state.loadMs) * 1000,
      mergeSeconds: state.mergeMs / 1000,
      ...(withDuckDb && {
        duckDbRowsPerSecond: (rows / state.duckDbMs) * 1000,
        duckDbBytes: (await stat(join(path, 'duckdb.db'))).size,
      }),
    },
    floorMs,
    tables,
    queries: measured,
  }
}

await runCommand(bench)
