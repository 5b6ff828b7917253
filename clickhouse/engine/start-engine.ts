import { type ChildProcess, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { reservedBytes } from '../disk-space.ts'
import { ownFolder } from './folder-owner.ts'
import { countLostWrites } from './lost-writes.ts'
import { ofEachUser, type Passwords, readPassword, type User } from './passwords.ts'
import { allocatorOptions, withoutLibrary } from './platform.ts'

export interface Engine {
  /** `http://127.0.0.1:port`, without credentials. */
  readonly url: string
  readonly port: number
  /** `http://user:password@127.0.0.1:port/default` of each user. */
  readonly userUrls: Readonly<Record<User, string>>
  /** Process id of the server, undefined between a death and its restart. */
  pid(): number | undefined
  /** Finishes running queries and open connections for up to 5 s, then ends the server. */
  stop(): Promise<void>
}

export interface EngineOptions {
  /** Holds data, log and passwords; belongs to one engine at a time. */
  readonly dataDir: string
  /** 0 is any free port; a restarted server gets the same port. */
  readonly port: number
  /** Server settings instead of config.xml. */
  readonly configFile?: string
  /** Port of the native protocol, which is closed by default. */
  readonly tcpPort?: number
  /**
   * Variables for `from_env` in the config file: the server has no others, because a user's `file()` could read them.
   */
  readonly environment?: Readonly<Record<string, string>>
  /** Called when the server died and before it is started again; `how` is its signal, its exit code, or that it could not write. */
  readonly onDeath?: ((how: string) => void) | undefined
}

const shortestBackoffMs = 100
const longestBackoffMs = 2_000
/** Twice the time ClickHouse waits for open connections. */
const stopTimeoutMs = 10_000
const pingIntervalMs = 20
/** A query of 1 ms of processor time. */
const watchIntervalMs = 1_000
/** Half the threads merge: 16 M rows were loaded at 190,000 a second instead of 163,000 (2 cores). */
const mergeThreads = Math.max(1, availableParallelism() >> 1)

const lostWrites = 'it could not write, for example because the disk is full'
let deaths = 0

/** Engines of this process that died and were started again. */
export const engineDeaths = (): number => deaths

/**
 * Starts the server on loopback and restarts it with backoff. It ends with this process. Rejects if it cannot start.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { dataDir, onDeath } = options
  const { passwords, port, release } = await prepare(dataDir, options.port).catch((error: Error) => {
    throw cannotStart(error.message, error)
  })
  const url = `http://127.0.0.1:${port}`
  let server: ChildProcess | undefined
  let restart: NodeJS.Timeout | undefined
  let stopping = false
  let backoffMs = shortestBackoffMs
  const lossy = new WeakSet<ChildProcess>()

  async function start(): Promise<void> {
    const started = spawnServer({ ...options, port }, passwords)
    server = started
    started.once('exit', () => {
      server = undefined
    })
    await untilReady(started, url)
    backoffMs = shortestBackoffMs
    const watch = setInterval(endIfLossy, watchIntervalMs, started).unref()
    started.once('exit', (code, signal) => {
      clearInterval(watch)
      if (!stopping) {
        deaths++
        onDeath?.(lossy.has(started) ? lostWrites : (signal ?? `code ${code}`))
      }
      restartLater()
    })
  }

  /** Its next start sets broken parts aside, and has again the parts that they were merged from. */
  async function endIfLossy(started: ChildProcess): Promise<void> {
    const lost = await countLostWrites(userUrls(port, passwords).writer).catch(() => 0)
    if (lost === 0 || started !== server) return
    lossy.add(started)
    started.kill('SIGKILL')
  }

  function restartLater(): void {
    if (stopping) return
    restart = setTimeout(() => start().catch(restartLater), backoffMs)
    backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
  }

  await start().catch(async (error) => {
    await release()
    throw error
  })
  return {
    url,
    port,
    userUrls: userUrls(port, passwords),
    pid: () => server?.pid,
    async stop() {
      stopping = true
      clearTimeout(restart)
      if (server) await end(server)
      await release()
    },
  }
}

export function userUrls(port: number, passwords: Passwords): Engine['userUrls'] {
  return ofEachUser((user) => `http://${user}:${passwords[user]}@127.0.0.1:${port}/default`)
}

async function prepare(dataDir: string, wanted: number) {
  const passwords = ofEachUser((user) => readPassword(dataDir, user))
  const port = await reservePort(wanted)
  return { passwords, port, release: await ownFolder(dataDir) }
}

async function end(server: ChildProcess): Promise<void> {
  const kill = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs)
  server.stdin?.end()
  await once(server, 'exit')
  clearTimeout(kill)
}

const cannotStart = (reason: string, cause?: Error) =>
  new Error(`The embedded ClickHouse cannot start: ${reason}`, { cause })

/** Rejects with EADDRINUSE if the port is in use. */
async function reservePort(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1')
  await once(probe, 'listening')
  const { port: free } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return free
}

function spawnServer(options: EngineOptions, passwords: Passwords): ChildProcess {
  const { dataDir, port, tcpPort, configFile, environment } = options
  const own = (file: string) => fileURLToPath(new URL(file, import.meta.url))
  const settings = {
    'config-file': configFile ?? own('config.xml'),
    path: join(dataDir, 'clickhouse'),
    http_port: port,
    ...(tcpPort !== undefined && { tcp_port: tcpPort }),
    'logger.log': join(dataDir, 'log', 'clickhouse.log'),
    background_pool_size: mergeThreads,
  }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  return spawn(process.execPath, [own('server-process.mjs'), ...args], {
    // Ctrl-C reaches a whole process group; the parent finishes its requests first.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      JE_MALLOC_CONF: process.env.JE_MALLOC_CONF ?? allocatorOptions(process),
      LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH,
      READER_PASSWORD_SHA256: hash('sha256', passwords.reader),
      ANALYST_PASSWORD_SHA256: hash('sha256', passwords.analyst),
      WRITER_PASSWORD_SHA256: hash('sha256', passwords.writer),
      TZ: 'UTC',
      KEEP_FREE_SPACE_BYTES: String(reservedBytes(sizeOfDisk(dataDir))),
      ...environment,
    },
  })
}

function sizeOfDisk(folder: string): number {
  const { blocks, bsize } = statfsSync(folder)
  return blocks * bsize
}

/** Resolves at the first successful ping; rejects with the last line on stderr if the server ends before. */
async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let lastLine = 'it printed nothing'
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastLine = text.trim().split('\n').at(-1) || lastLine
  })
  const ended = new AbortController()
  server.once('error', (error) => ended.abort(error))
  server.once('close', () => ended.abort(cannotStart(exceptionText(lastLine))))
  while (!(await isReady(url, ended.signal))) {
    ended.signal.throwIfAborted()
    await sleep(pingIntervalMs)
  }
}

async function isReady(url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`${url}/ping`, { signal }).catch(() => undefined)
  return response?.ok === true
}

/** Message of `Code: 76. DB::Exception: Cannot lock file. (CANNOT_OPEN_FILE)`. */
function exceptionText(line: string): string {
  const unloaded = /^Cannot load the library: (.*)/.exec(line)?.[1]
  if (unloaded !== undefined) return withoutLibrary(process, unloaded)
  return /DB::Exception: (.*?)\.? \([A-Z_]+\)/.exec(line)?.[1] ?? line
}
