import { readFile, stat, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { data, folderPath, integer, jsonFile, optional, rows } from './argument-shapes.ts'
import { type BenchFolder, openFolder, rowsOf } from './bench-data.ts'
import { type Closers, createClosers } from './closers.ts'
import { apiContestant, duckDbContestant, plainContestant } from './contestants.ts'
import { type DuckDb, fillDuckDb, openDuckDb } from './duckdb.ts'
import { describeLaw } from './law.ts'
import { type LoadedEngine, openLoaded } from './loaded-engine.ts'
import { measureQuestion, warmUp } from './measure.ts'
import { describeResults } from './print-results.ts'
import { questions } from './questions.ts'
import { type BenchResults, benchResults, type QuestionResult } from './results.ts'
import { callersPath, type MeasuringCommand, runCommand, say } from './run-command.ts'
import { startRunningApi } from './running-api.ts'

interface Values {
  readonly rows: number
  readonly data: string | undefined
  readonly runs: number
  readonly seed: number
  readonly only: string | undefined
  readonly json: string | undefined
  readonly law: string[]
  readonly 'no-duckdb': boolean
  readonly 'api-only': boolean
}

const bench: MeasuringCommand<Values> = {
  program: 'npm run bench --',
  about: 'Ask the API a dashboard’s questions over many reports, beside plain SQL on the wide table and DuckDB.',
  arguments: {
    rows: rows(10_000_000),
    data,
    runs: integer(1, 1000, 15, 'Measured runs of a question'),
    seed: integer(0, 1_000_000, 1, 'Decides the windows'),
    only: optional('TEXT', 'Only questions with this in their name', 'a text such as "grouped by"'),
    json: jsonFile,
    'no-duckdb': {
      shape: z.boolean().default(false),
      hint: '',
      kind: 'switch',
      about: 'Neither load DuckDB nor ask it, where the disk has no room for both',
      takes: 'no value',
    },
    'api-only': {
      shape: z.boolean().default(false),
      hint: '',
      kind: 'switch',
      about: 'Ask neither DuckDB nor plain SQL, which takes up to 14 s an answer at 100 million reports',
      takes: 'no value',
    },
    law: {
      shape: z.array(z.string()).default([]),
      hint: 'FILE',
      kind: 'repeated',
      about: 'Measure nothing; read such results and say how they grow',
      takes: 'JSON files of several sizes',
    },
  },
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
  run: (values) => (values.law.length > 0 ? printLaw(values.law) : measure(values)),
}

async function printLaw(files: readonly string[]): Promise<number> {
  const results = await Promise.all(
    files.map(async (file) => benchResults.parse(JSON.parse(await readFile(callersPath(file), 'utf8')))),
  )
  process.stdout.write(describeLaw(results))
  return 0
}

async function measure(values: Values): Promise<number> {
  const { runs, seed, only = '', json, 'api-only': apiOnly, ...where } = values
  const withoutDuckDb = apiOnly || values['no-duckdb']
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

/** `--law a b c` as `--law a --law b --law c`. */
function spreadLaw(words: readonly string[]): string[] {
  const at = words.indexOf('--law')
  if (at < 0) return [...words]
  const rest = words.slice(at + 1)
  const end = rest.findIndex((word) => word.startsWith('-'))
  const files = rest.slice(0, end < 0 ? undefined : end)
  if (files.length === 0) return [...words]
  return [...words.slice(0, at), ...files.flatMap((file) => ['--law', file]), ...rest.slice(files.length)]
}

await runCommand(bench, spreadLaw(process.argv.slice(2)))
