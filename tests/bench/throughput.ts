import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { buildPrograms } from '../support/programs.ts'
import { spawnScript } from '../support/spawn-script.ts'
import { openFolder } from './bench-data.ts'
import { dataOption, folderPath, integerOption, jsonOption, rowsOption } from './bench-options.ts'
import { type Cleanup, createCleanup } from './cleanup.ts'
import { measureDashboards } from './dashboard-load.ts'
import { drawPaths, type MovedPath } from './draw-paths.ts'
import { judgeLoad, type LoadPhase, phaseOf, type ServerPhases } from './load-results.ts'
import { openLoadedEngine } from './loaded-engine.ts'
import { type PollOptions, pollServer } from './poll-server.ts'
import { formatNumber, toTable } from './print-results.ts'
import { measuringCommand, printLine, resolveCallerPath, runCommand } from './run-command.ts'
import { startRunningApi } from './running-api.ts'
import { watchProcess } from './watch-process.ts'

interface Values {
  readonly rows: number
  readonly data?: string
  readonly seconds: number
  readonly connections: number
  readonly every: number
  readonly moving?: true
  readonly last?: true
  readonly live?: true
  readonly json?: string
}

const load = measuringCommand('npm run bench:load --', {
  about: 'Poll the API on many connections, beside a Hono server that sends the same bodies.',
  notes: [
    'Requests alternate histograms and rankings over windows that end within the last two days of the data.',
    '200 requests repeat, as from dashboards with fixed windows; --moving moves each window, so that none repeats.',
    'Before the load: one connection without a pause, then one at the request rate of all connections.',
    'Under load both servers are polled concurrently, so that both have the same machine.',
    'With --every 0 no connection pauses: the load is as much as the machine serves.',
    '--last and --live poll the six panels of a dashboard instead, on 8 connections without a pause, and print one row.',
    'Live reports are added to the data, so --live has a folder of its own.',
    'Linux only: CPU time and memory are read from /proc. The data are those of npm run bench.',
    'Exit codes: 0, 1 if a target is missed, 2 if nothing was measured.',
  ],
  examples: [
    '--moving',
    '--last --live',
    '--live --moving',
    '--seconds 600 --json load.json',
    '--every 0 --seconds 20',
  ],
})
  .addOption(rowsOption(1_000_000))
  .addOption(dataOption)
  .addOption(
    integerOption('--seconds <N>', [5, 86_400], 60, 'Duration of the load; the phases before it take a sixth each'),
  )
  .addOption(integerOption('--connections <N>', [1, 1000], 32, 'Connections of the load'))
  .addOption(integerOption('--every <N>', [0, 60_000], 1000, 'Milliseconds between two requests of a connection'))
  .addOption(new Option('--moving', 'Move each window of the API’s requests a little, so that none repeats'))
  .addOption(new Option('--last', 'Poll six panels of a dashboard with the parameter last'))
  .addOption(
    new Option(
      '--live',
      'Poll six panels, with --last or with both ends named, of a tenant that posts 20 times a second',
    ),
  )
  .addOption(jsonOption)
  .action(async (values) => {
    process.exitCode = await measure(values)
  })

type Pace = Pick<PollOptions, 'connections' | 'seconds' | 'intervalMs'>

interface Target {
  readonly url: string
  readonly pid: number
}

type PolledTarget = Target & Pick<PollOptions, 'pathAt'>

async function measure(values: Values): Promise<number> {
  const cleanup = createCleanup()
  try {
    const path = folderPath(values)
    const folder = await openFolder(values.live ? `${path}-live` : path, values.rows, Date.now())
    const engine = await openLoadedEngine(folder, cleanup)
    const api = await startRunningApi(engine.url)
    cleanup.defer(() => api.stop())
    if (values.last || values.live) {
      const windows = values.last ? 'last' : values.moving ? 'moving' : 'named'
      const options = { windows, live: values.live ?? false, connections: 8, seconds: values.seconds } as const
      return (await measureDashboards({ folder, engine, api }, options, cleanup)) ? 0 : 1
    }
    const drawn = drawPaths(folder.state)
    const pathAt = (index: number, milliseconds = 0) => (drawn[index % drawn.length] as MovedPath)(milliseconds)
    let moved = 0
    const movedPathAt = (index: number) => pathAt(index, ++moved)
    const paths = drawn.map((path) => path(0))
    const headers = { Authorization: `Bearer ${folder.state.key.key}` }
    const plain = await startPlain(api.url, paths, headers, join(folder.path, 'bodies.json'), cleanup)
    const { seconds, connections, every: intervalMs } = values
    const backToBack = { connections: 1, seconds: Math.ceil(seconds / 6), intervalMs: 0 }
    const alone = { ...backToBack, intervalMs: intervalMs / connections }
    const many = { connections, seconds, intervalMs }
    const apiTarget = { ...api, pathAt: values.moving ? movedPathAt : pathAt }
    const plainTarget = { ...plain, pathAt }
    const apiAlone = await pollAlone('the API', apiTarget)
    const plainAlone = await pollAlone('plain Hono', plainTarget)
    // Concurrently: on a shared machine, processor time buys less in some minutes than in others.
    const [apiLoaded, plainLoaded] = await Promise.all([
      poll('the API', apiTarget, many),
      poll('plain Hono beside it', plainTarget, many),
    ])
    const measured = { api: { ...apiAlone, loaded: apiLoaded }, plain: { ...plainAlone, loaded: plainLoaded } }
    const { ratios, lines } = judgeLoad(measured.api, measured.plain)
    process.stdout.write(describe(measured, lines))
    if (values.json !== undefined) {
      await writeFile(
        resolveCallerPath(values.json),
        `${JSON.stringify({ ...values, ...measured, ratios }, null, 2)}\n`,
      )
    }
    return lines.every(({ met }) => met) ? 0 : 1

    async function pollAlone(name: string, target: PolledTarget) {
      return { backToBack: await poll(name, target, backToBack), unloaded: await poll(name, target, alone) }
    }

    async function poll(name: string, { url, pid, pathAt }: PolledTarget, how: Pace): Promise<LoadPhase> {
      const pace = how.intervalMs === 0 ? 'without a pause' : `every ${how.intervalMs} ms`
      const on = how.connections === 1 ? 'one connection' : `${how.connections} connections`
      printLine(`Polling ${name} on ${on} for ${how.seconds} s, ${pace}`)
      const { result, usage } = await watchProcess(pid, () => pollServer({ url, pathAt, headers, ...how }))
      return phaseOf(result, usage)
    }
  } finally {
    await cleanup.run()
  }
}

/** Hono in a process of its own, with the API's response bodies. */
async function startPlain(
  apiUrl: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  file: string,
  cleanup: Cleanup,
): Promise<Target> {
  const bodies: Record<string, string> = {}
  for (const path of paths) bodies[path] = await (await fetch(apiUrl + path, { headers })).text()
  await writeFile(file, JSON.stringify(bodies))
  await buildPrograms(['tests/bench/plain-server.ts'])
  const server = spawnScript('tests/bench/plain-server.ts', [file], {})
  cleanup.defer(async () => {
    server.child.kill('SIGTERM')
    await server.ended()
  })
  const [, url = ''] = await server.printed(/Serving on (http:\S+)/)
  return { url, pid: server.child.pid as number }
}

function describe(
  { api, plain }: { readonly api: ServerPhases; readonly plain: ServerPhases },
  lines: readonly { readonly met: boolean; readonly text: string }[],
): string {
  const row = (name: string, { requests, failed, p50, p99, cpuMsPerRequest, memory }: LoadPhase) => [
    name,
    String(requests),
    String(failed),
    p50.toFixed(2),
    p99.toFixed(2),
    cpuMsPerRequest.toFixed(3),
    ...[memory[0], memory[memory.length >> 1], memory.at(-1), Math.max(...memory)].map(formatNumber),
  ]
  const totalRows = (name: string, { backToBack, unloaded, loaded }: ServerPhases) => [
    row(`${name}, one connection, no pause`, backToBack),
    row(`${name}, one connection`, unloaded),
    row(`${name}, under load`, loaded),
  ]
  const head = ['server', 'requests', 'failed', 'p50 ms', 'p99 ms', 'CPU ms a request', 'memory at start']
  const table = toTable([
    [...head, 'half way', 'at the end', 'most'],
    ...totalRows('API', api),
    ...totalRows('plain Hono', plain),
  ])
  return `${table}\n\n${lines.map(({ met, text }) => `${met ? 'met   ' : 'MISSED'}  ${text}`).join('\n')}\n`
}

await runCommand(load)
