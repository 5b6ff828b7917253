import { mkdirSync, rmSync, writeSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { writeEngineConfig, writerPassword } from './access.ts'
import { type Connections, openConnections } from './connections.ts'
import { createHttpServer, type RequestEvent } from './http-server.ts'
import { loadNative } from './native.ts'
import { listPolicy, readerPolicy } from './reader-policy.ts'
import { createSlots, type Slots } from './slots.ts'
import { createStatementCheck } from './statement-check.ts'
import { createStreamWorkers } from './stream-workers.ts'

/** What the child tells its supervisor. */
export type EngineEvent =
  | { event: 'ready'; port: number; milliseconds: number }
  | { event: 'failed'; reason: string }
  | RequestEvent

type Running = { server: Server; slots: Slots; connections: Connections }

const maxRunning = 8
const maxWaiting = 256
/** The API's questions have a dozen shapes, each asked several times at once. */
const readerConnections = { ready: maxRunning, used: 4 * maxRunning }
const drainMilliseconds = 5_000

function tell(event: EngineEvent): void {
  if (process.connected) process.send?.(event)
  else process.stderr.write(`${JSON.stringify(event)}\n`)
}

async function start(dataDir: string, port: number): Promise<Running> {
  // ClickHouse reads these in a path as patterns, in INFILE and in the names of tables.
  if (/[*?{}[\]]/.test(dataDir)) throw new Error('The path of the data directory holds one of * ? { } [ ]')
  const native = loadNative()
  const password = writerPassword(dataDir)
  const path = join(dataDir, 'clickhouse')
  const config = `--config-file=${writeEngineConfig(dataDir)}`
  const connections = await openConnections(native, path, [config], readerConnections)
  const policy = readerPolicy(await listPolicy(connections))
  const check = createStatementCheck(native, connections, policy)
  const workers = createStreamWorkers(path)
  const slots = createSlots(maxRunning, maxWaiting)
  const incomingDir = emptyDirectory(join(dataDir, 'incoming'))
  const context = { native, connections, workers, slots, check, incomingDir, policy, writerPassword: password }
  const server = createHttpServer(context, tell)
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', listening)
  })
  return { server, slots, connections }
}

/** A killed process leaves the data of its inserts behind. */
function emptyDirectory(path: string): string {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { mode: 0o700 })
  return path
}

let running: Running | undefined
let stopping = false
let isClosed = false

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  if (!running) process.exit(0)
  // A query that does not end must not keep the data directory locked after its parent is gone.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), drainMilliseconds)
  const { server, slots, connections } = running
  const closed = new Promise((resolve) => server.close(resolve))
  await slots.idle()
  // Answers may still be on their way to slow clients; a connection ends when its answer has left.
  const ending = setInterval(() => server.closeIdleConnections(), 20)
  await closed
  clearInterval(ending)
  await connections.close()
  isClosed = true
  process.exit(0)
}

// Written before the exit below, which comes before Node would write it.
process.on('uncaughtExceptionMonitor', ({ stack }) => writeSync(2, `${stack}\n`))

// While the store's threads run, its own exit handlers can wait for them for ever and keep the data directory locked.
process.on('exit', () => {
  if (!isClosed) process.kill(process.pid, 'SIGKILL')
})

// Without its parent, which may have left by now, nobody would ever end this process.
process.on('disconnect', stop)
if (!process.connected) process.exit(0)
process.on('SIGTERM', stop)
// Ctrl-C reaches the whole process group; the parent drains first and then ends this process.
process.on('SIGINT', () => undefined)

const [dataDir = '.data', port = '8123'] = process.argv.slice(2)
try {
  running = await start(resolve(dataDir), Number(port))
  const address = running.server.address() as AddressInfo
  tell({ event: 'ready', port: address.port, milliseconds: Math.round(performance.now()) })
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  tell({ event: 'failed', reason: reason.split('\n', 1)[0] ?? '' })
  setTimeout(() => process.exit(1), 50)
}
