import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { writerPassword } from './access.ts'
import type { EngineEvent } from './main.ts'

/** What a supervisor reports: the child's events, what it writes to stderr, and that it died and is started again. */
export type SupervisorEvent =
  | EngineEvent
  | { event: 'stderr'; line: string }
  | { event: 'died'; signal: string | null; code: number | null }

/** A running embedded engine. */
export type Engine = {
  /** HTTP interface on loopback; without credentials a caller is the reader. */
  url: string
  port: number
  writer: { username: 'writer'; password: string }
  reader: { username: 'reader'; password: '' }
  /** The child's process id, undefined while it is being started again. */
  pid(): number | undefined
  /** Drains for up to 5 s, ends the child and resolves when it is gone. */
  stop(): Promise<void>
}

/** Options of {@link startEngine}. */
export type EngineOptions = {
  /** Holds the engine's data and the writer's password; belongs to one process at a time. */
  dataDir: string
  /** 0 takes any free port; a restarted child gets the same one. */
  port: number
  onEvent: (event: SupervisorEvent) => void
}

// Every running query holds a libuv thread; file system, DNS and zlib need some besides.
const libuvThreads = 32
// Memory that is given back after jemalloc's 5 s and taken again page by page costs a tenth of an insert's processor time.
const allocator = 'dirty_decay_ms:300000,thp:always'
const shortestBackoff = 100
const longestBackoff = 2_000
const stopMilliseconds = 10_000

/**
 * Starts the engine in a child process and keeps it running; rejects with one line when it cannot start (the port is
 * taken, the data directory belongs to another process).
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const report = options.onEvent
  let child: ChildProcess | undefined
  let retry: NodeJS.Timeout | undefined
  let stopping = false
  let port = options.port
  let backoff = shortestBackoff

  async function start(): Promise<void> {
    const started = forkEngine(options.dataDir, port)
    child = started
    started.once('exit', () => {
      child = undefined
    })
    port = await untilReady(started, report)
    backoff = shortestBackoff
    started.once('exit', (code, signal) => {
      if (!stopping) report({ event: 'died', signal, code })
      restartLater()
    })
  }

  function restartLater(): void {
    if (stopping) return
    retry = setTimeout(() => start().catch(restartLater), backoff)
    backoff = Math.min(backoff * 2, longestBackoff)
  }

  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    writer: { username: 'writer', password: writerPassword(options.dataDir) },
    reader: { username: 'reader', password: '' },
    pid: () => child?.pid,
    async stop() {
      stopping = true
      clearTimeout(retry)
      if (!child) return
      const ending = child
      const gone = new Promise((resolve) => ending.once('exit', resolve))
      const deadline = setTimeout(() => ending.kill('SIGKILL'), stopMilliseconds)
      ending.kill('SIGTERM')
      await gone
      clearTimeout(deadline)
    },
  }
}

function forkEngine(dataDir: string, port: number): ChildProcess {
  return fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [dataDir, String(port)], {
    execArgv: ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href],
    env: { JE_MALLOC_CONF: allocator, ...process.env, UV_THREADPOOL_SIZE: String(libuvThreads), TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** Resolves with the port; rejects with what the engine said last when the child ends before that. */
function untilReady(child: ChildProcess, report: (event: SupervisorEvent) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let reason = 'it ended by itself'
    if (child.stderr) {
      createInterface(child.stderr).on('line', (line) => {
        reason = /DB::Exception: (.*?)\.? \([A-Z_]+\)$/.exec(line)?.[1] ?? reason
        report({ event: 'stderr', line })
      })
    }
    child.on('message', (event: EngineEvent) => {
      report(event)
      if (event.event === 'ready') resolve(event.port)
      // The engine's own words on stderr say more than the addon's, which only knows that it failed.
      if (event.event === 'failed' && !event.reason.startsWith('Failed to create connection')) reason = event.reason
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`The embedded ClickHouse cannot start: ${reason}`)))
  })
}
