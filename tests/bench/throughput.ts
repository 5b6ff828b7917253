import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { seeded } from '../../fixtures/seeded.ts'
import { dayMs } from '../../schema/durations.ts'
import { spawnScript } from '../support/spawned.ts'
import { data, folderPath, integer, jsonFile, rows } from './argument-shapes.ts'
import { type BenchState, openFolder } from './bench-data.ts'
import { type Closers, createClosers } from './closers.ts'
import { judgeLoad, type LoadedServer, type LoadPhase, phaseOf } from './load-results.ts'
import { openLoaded } from './loaded-engine.ts'
import { type Polling, pollServer } from './poll-server.ts'
import { short, toTable } from './print-results.ts'
import { callersPath, measuringCommand, runCommand, say } from './run-command.ts'
import { startRunningApi } from './running-api.ts'
import { watchProcess } from './watch-process.ts'

interface Values {
  readonly rows: number
  readonly data?: string
  readonly seconds: number
  readonly connections: number
  readonly every: number
  readonly moving?: true
  readonly json?: string
}

const load = measuringCommand('npm run bench:load --', {
  about: 'Poll the API on many connections, beside a Hono server that answers the same bodies.',
  notes: [
    'Histograms and rankings in turn, over windows that end within the last two days of the data.',
    'The same 200 questions again and again, as dashboards with fixed windows ask; --moving asks as those with moving ones.',
    'Unloaded, one connection asks as often as all do under load; before that, one that asks again at once.',
    'Under load both servers are polled at once, each on as many connections, so that both have the same machine.',
    'With --every 0 each connection asks again at once, so that the load is as much as the machine answers.',
    'Linux only: CPU time and memory are read from /proc. The data are those of npm run bench.',
    'Exit codes: 0, 1 where a target is missed, 2 where nothing was measured.',
  ],
  examples: ['--moving', '--seconds 600 --json load.json', '--every 0 --seconds 20'],
})
  .addOption(rows(1_000_000))
  .addOption(data)
  .addOption(
    integer('--seconds <N>', [5, 86_400], 60, 'How long the API is under load; two sixths of it unloaded before'),
  )
  .addOption(integer('--connections <N>', [1, 1000], 32, 'Connections of the load'))
  .addOption(integer('--every <N>', [0, 60_000], 1000, 'Milliseconds from one question of a connection to its next'))
  .addOption(new Option('--moving', 'Ask nothing of the API twice: each window is a little earlier than any before'))
  .addOption(jsonFile)
  .action(async (values) => {
    process.exitCode = await measure(values)
  })

/** A question's path, its window moved back by so many milliseconds. */
type MovedPath = (milliseconds: number) => string

/** A dashboard's questions over random windows, in turn. */
function drawPaths({ from, days }: BenchState): MovedPath[] {
  const random = seeded(1)
  const asked = [
    [7, 'histogram?bucketSize=1h'],
    [31, 'grouped?groupBy=directive'],
    [31, 'histogram?bucketSize=1h&directive=img-src'],
    [7, 'grouped?groupBy=browserName,osName'],
  ] as const
  return Array.from({ length: 200 }, (_, index) => {
    const [length, question] = asked[index % asked.length] as (typeof asked)[number]
    const to = from + days * dayMs - random.between(1, 2 * dayMs)
    return (milliseconds) => {
      const times = [to - length * dayMs, to].map((time) => new Date(time - milliseconds).toISOString())
      return `/v1/reports/${question}&from=${times[0]}&to=${times[1]}`
    }
  })
}

type Pace = Pick<Polling, 'connections' | 'seconds' | 'everyMilliseconds'>

interface Target {
  readonly url: string
  readonly pid: number
}

type PolledTarget = Target & Pick<Polling, 'pathAt'>

async function measure(values: Values): Promise<number> {
  const closers = createClosers()
  try {
    const folder = await openFolder(folderPath(values), values.rows, Date.now())
    const engine = await openLoaded(folder, closers)
    const api = await startRunningApi(engine.url)
    closers.add(() => api.stop())
    const drawn = drawPaths(folder.state)
    const pathAt = (index: number, milliseconds = 0) => (drawn[index % drawn.length] as MovedPath)(milliseconds)
    let moved = 0
    const movedPathAt = (index: number) => pathAt(index, ++moved)
    const paths = drawn.map((path) => path(0))
    const headers = { Authorization: `Bearer ${folder.state.key.key}` }
    const plain = await startPlain(api.url, paths, headers, join(folder.path, 'bodies.json'), closers)
    const { seconds, connections, every: everyMilliseconds } = values
    const atOnce = { connections: 1, seconds: Math.ceil(seconds / 6), everyMilliseconds: 0 }
    const alone = { ...atOnce, everyMilliseconds: everyMilliseconds / connections }
    const many = { connections, seconds, everyMilliseconds }
    const asked = { ...api, pathAt: values.moving ? movedPathAt : pathAt }
    const answered = { ...plain, pathAt }
    const apiAlone = await pollAlone('the API', asked)
    const plainAlone = await pollAlone('plain Hono', answered)
    // Both at once, because a processor that others use too does less in its time.
    const [apiLoaded, plainLoaded] = await Promise.all([
      poll('the API', asked, many),
      poll('plain Hono beside it', answered, many),
    ])
    const measured = { api: { ...apiAlone, loaded: apiLoaded }, plain: { ...plainAlone, loaded: plainLoaded } }
    const { ratios, lines } = judgeLoad(measured.api, measured.plain)
    process.stdout.write(describe(measured, lines))
    if (values.json !== undefined) {
      await writeFile(callersPath(values.json), `${JSON.stringify({ ...values, ...measured, ratios }, null, 2)}\n`)
    }
    return lines.every(({ met }) => met) ? 0 : 1

    async function pollAlone(name: string, target: PolledTarget) {
      return { atOnce: await poll(name, target, atOnce), unloaded: await poll(name, target, alone) }
    }

    async function poll(name: string, { url, pid, pathAt }: PolledTarget, how: Pace): Promise<LoadPhase> {
      const pace = how.everyMilliseconds === 0 ? 'at once again' : `every ${how.everyMilliseconds} ms`
      const on = how.connections === 1 ? 'one connection' : `${how.connections} connections`
      say(`Polling ${name} on ${on} for ${how.seconds} s, ${pace}`)
      const { result, usage } = await watchProcess(pid, () => pollServer({ url, pathAt, headers, ...how }))
      return phaseOf(result, usage)
    }
  } finally {
    await closers.closeAll()
  }
}

/** Hono in a process of its own, with the bodies that the API answers. */
async function startPlain(
  apiUrl: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  file: string,
  closers: Closers,
): Promise<Target> {
  const bodies: Record<string, string> = {}
  for (const path of paths) bodies[path] = await (await fetch(apiUrl + path, { headers })).text()
  await writeFile(file, JSON.stringify(bodies))
  const server = spawnScript('tests/bench/plain-server.ts', [file], {})
  closers.add(async () => {
    server.child.kill('SIGTERM')
    await server.ended()
  })
  const [, url = ''] = await server.printed(/Serving on (http:\S+)/, 30_000)
  return { url, pid: server.child.pid as number }
}

function describe(
  { api, plain }: { readonly api: LoadedServer; readonly plain: LoadedServer },
  lines: readonly { readonly met: boolean; readonly text: string }[],
): string {
  const row = (name: string, { requests, refused, p50, p99, cpuMillisecondsPerRequest, memory }: LoadPhase) => [
    name,
    String(requests),
    String(refused),
    p50.toFixed(2),
    p99.toFixed(2),
    cpuMillisecondsPerRequest.toFixed(3),
    ...[memory[0], memory[memory.length >> 1], memory.at(-1), Math.max(...memory)].map(short),
  ]
  const rowsOf = (name: string, { atOnce, unloaded, loaded }: LoadedServer) => [
    row(`${name}, one connection, at once again`, atOnce),
    row(`${name}, one connection`, unloaded),
    row(`${name}, under load`, loaded),
  ]
  const head = ['server', 'requests', 'refused', 'p50 ms', 'p99 ms', 'CPU ms a request', 'memory at start']
  const table = toTable([
    [...head, 'half way', 'at the end', 'most'],
    ...rowsOf('API', api),
    ...rowsOf('plain Hono', plain),
  ])
  return `${table}\n\n${lines.map(({ met, text }) => `${met ? 'met   ' : 'MISSED'}  ${text}`).join('\n')}\n`
}

await runCommand(load)
