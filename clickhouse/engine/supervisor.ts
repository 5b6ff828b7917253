import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { writerPassword } from './access.ts'
import type { EngineEvent } from './main.ts'

/** What a supervisor reports: the child's events, and that it died and is started again. */
export type SupervisorEvent = EngineEvent | { event: 'died'; signal: string | null; code: number | null }

/** A running embedded engine. */
export type Engine = {
  /** HTTP interface on loopback; without credentials a caller is the reader. */
  url: string
  port: number
  writer: { username: 'writer'; password: string }
  reader: { username: 'reader'; password: '' }
  /** The child's process id, undefined while it is being started again. */
  pid(): number | undefined
  /** Drains, ends the child and resolves when it is gone. */
  stop(): Promise<void>
}

/** Options of {@link startEngine}. */
export type EngineOptions = {
  /** Holds the engine's data and the writer's password; belongs to one process at a time. */
  dataDir: string
  /** 0 takes any free port. */
  port: number
  onEvent?: (event: SupervisorEvent) => void
}

/** Not by import.meta.resolve, which a test runner's module loader lacks. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

const libuvThreads = 32
const restartMilliseconds = 100
const stopMilliseconds = 10_000

/** Starts the engine in a child process and keeps it running on the same port; rejects with one line when it cannot. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  let child: ChildProcess | undefined
  let stopping = false
  let port = options.port
  let backoff = restartMilliseconds
  let retry: NodeJS.Timeout | undefined

  function start(): Promise<number> {
    return new Promise((resolve, reject) => {
      const started = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [options.dataDir, String(port)], {
        execArgv: ['--import', tsx],
        env: { ...process.env, UV_THREADPOOL_SIZE: String(libuvThreads), TZ: 'UTC' },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      child = started
      started.on('message', (event: EngineEvent) => {
        options.onEvent?.(event)
        if (event.event === 'ready') resolve(event.port)
        if (event.event === 'failed') reject(new Error(`The embedded engine cannot start: ${event.reason}`))
      })
      started.on('error', reject)
      started.on('exit', (code, signal) => {
        if (child === started) child = undefined
        reject(new Error(`The embedded engine ended while starting (code ${code}, signal ${signal})`))
        if (stopping) return
        options.onEvent?.({ event: 'died', signal, code })
      })
    })
  }

  function keepRunning(): void {
    child?.once('exit', () => {
      if (stopping) return
      retry = setTimeout(restart, backoff)
    })
  }

  function restart(): void {
    backoff = Math.min(backoff * 2, 2_000)
    start().then(
      () => {
        backoff = restartMilliseconds
        keepRunning()
      },
      () => {
        if (!stopping) retry = setTimeout(restart, backoff)
      },
    )
  }

  port = await start()
  keepRunning()
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    writer: { username: 'writer', password: writerPassword(options.dataDir) },
    reader: { username: 'reader', password: '' },
    pid: () => child?.pid,
    async stop() {
      stopping = true
      clearTimeout(retry)
      const ending = child
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
      const gone = new Promise((resolve) => ending.once('exit', resolve))
      const deadline = setTimeout(() => ending.kill('SIGKILL'), stopMilliseconds)
      ending.kill('SIGTERM')
      await gone
      clearTimeout(deadline)
    },
  }
}
