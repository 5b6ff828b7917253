import { readFile, stat, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { type BenchFolder, openFolder, rowsOf } from './bench-data.ts'
import { data, folderPath, integer, jsonFile, rows, text } from './bench-options.ts'
import { questions } from './bench-queries.ts'
import { type Closers, createClosers } from './cleanup.ts'
import { type DuckDb, fillDuckDb, openDuckDb } from './duckdb.ts'
import { type LoadedEngine, openLoaded } from './loaded-engine.ts'
import { measureQuestion, warmUp } from './measure.ts'
import { describeResults } from './print-results.ts'
import { type BenchResults, benchResults, type QuestionResult } from './results.ts'
import { callersPath, measuringCommand, runCommand, say } from './run-command.ts'
import { startRunningApi } from './running-api.ts'
import { describeLaw } from './scaling.ts'
import { apiContestant, duckDbContestant, plainContestant } from './systems.ts'

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
  about: 'Ask the API a dashboard’s questions over many reports, beside plain SQL on the wide table and DuckDB.',
  notes: [
    'A folder that holds the rows is asked again without loading; a load that was cut off goes on, DuckDB’s too.',
    'A folder of fewer rows (--data) gets the others too, over the same 62 days.',
    'Room needed: about 250 bytes a report, the engine’s and DuckDB’s files together; 160 without DuckDB.',
    'Memory needed: about 9 GB while reports are loaded.',
    'Exit codes: 0, 1 where answers differ or a target is missed, 2 where nothing was measured.',
  ],
  examples: [
    '--rows 1000000',
    '--rows 100000000 --json 100m.json',
    '--rows 300000000 --api-only --json 300m.json',
    '--rows 1000000 --only "grouped by" --runs 50',
    '--law 1m.json 10m.json 100m.json',
  ],
})
  .addOption(rows(10_000_000))
  .addOption(data)
  .addOption(integer('--runs <N>', [1, 1000], 15, 'Measured runs of a question'))
  .addOption(integer('--seed <N>', [0, 1_000_000], 1, 'Decides the windows'))
  .addOption(text('--only <TEXT>', 'Only questions with this in their name', 'a text such as "grouped by"'))
  .addOption(jsonFile)
  .addOption(new Option('--no-duckdb', 'Neither load DuckDB nor ask it, where the disk has no room for both'))
  .addOption(
    new Option(
      '--api-only',
      'Ask neither DuckDB nor plain SQL, which takes up to 14 s an answer at 100 million reports',
    ),
  )
  .addOption(
    new Option(
      '--law <FILE...>',
      'Measure nothing; read such results, as JSON of several sizes, and say how they grow',
    ),
  )
  .action(async ({ law, ...values }) => {
    process.exitCode = law ? await printLaw(law) : await measure(values)
  })

async function printLaw(files: readonly string[]): Promise<number> {
  const results = await Promise.all(
    files.map(async (file) => benchResults.parse(JSON.parse(await readFile(callersPath(file), 'utf8')))),
  )
  process.stdout.write(describeLaw(results))
  return 0
}

async function measure(values: Values): Promise<number> {
  const { runs, seed, only = '', json, apiOnly, duckdb, ...where } = values
  const withoutDuckDb = apiOnly || !duckdb
  const asked = questions.filter(({ name }) => name.includes(only))
  if (asked.length === 0) throw new Error(`No question has ${JSON.stringify(only)} in its name`)
  const closers = createClosers()
  try {
    const folder = await openFolder(folderPath(where), where.rows, Date.now())
    say(`Data in ${folder.path}`)
    const engine = await openLoaded(folder, closers)
    const api = await startRunningApi(engine.url)
    closers.add(() => api.stop())
    const duckDb = withoutDuckDb ? undefined : await openFilled(folder, engine, closers)
    const contestants = {
      api: apiContestant(api, engine, folder.state.key.key),
      ...(!apiOnly && { plain: plainContestant(engine) }),
      ...(duckDb && { duckDb: duckDbContestant(duckDb) }),
    }
    const { from, days } = folder.state
    const asking = { runs, seed, span: { from, to: from + days * 86_400_000 } }
    say('Warming up')
    await warmUp(contestants.api, asked, asking)
    await closers.proceed()
    const measured: QuestionResult[] = []
    for (const [index, question] of asked.entries()) {
      say(`${index + 1}/${asked.length} ${question.name}`)
      const result = await measureQuestion(question, contestants, asking)
      await closers.proceed()
      if (result.note) say(`  ${result.status}: ${result.note}`)
      measured.push(result)
    }
    const results = await resultsOf(folder, engine.tables, measured, duckDb !== undefined)
    process.stdout.write(describeResults(results))
    if (json !== undefined) await writeFile(callersPath(json), `${JSON.stringify(results, null, 2)}\n`)
    return measured.some(({ status, missed = [] }) => status === 'different answers' || missed.length > 0) ? 1 : 0
  } finally {
    await closers.closeAll()
  }
}

async function openFilled(folder: BenchFolder, { writer }: LoadedEngine, closers: Closers): Promise<DuckDb> {
  await fillDuckDb(folder, writer)
  const duckDb = await openDuckDb(folder)
  closers.add(() => duckDb.close())
  return duckDb
}

async function resultsOf(
  { path, state }: BenchFolder,
  tables: readonly BenchResults['tables'][number][],
  measured: readonly QuestionResult[],
  withDuckDb: boolean,
): Promise<BenchResults> {
  return benchResults.parse({
    rows: rowsOf(state),
    at: new Date().toISOString(),
    machine: {
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      node: process.version,
      loadAverage: loadavg()[0],
    },
    load: {
      rowsPerSecond: (rowsOf(state) / state.loadMilliseconds) * 1000,
      mergeSeconds: state.mergeMilliseconds / 1000,
      ...(withDuckDb && {
        duckDbRowsPerSecond: (rowsOf(state) / state.duckDbMilliseconds) * 1000,
        duckDbBytes: (await stat(join(path, 'duckdb.db'))).size,
      }),
    },
    tables: [...tables],
    questions: [...measured],
  })
}

await runCommand(bench)
