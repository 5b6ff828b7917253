import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { writeEngineConfig, writerPassword } from './access.ts'
import { type Connections, openConnections } from './connections.ts'
import { createHttpServer } from './http-server.ts'
import { loadNative, type Native } from './native.ts'
import { type PolicyRow, policyQuery, readerPolicy } from './reader-policy.ts'
import { createSlots } from './slots.ts'
import { createStatementCheck } from './statement-check.ts'
import { createStreamWorkers } from './stream-workers.ts'

/** What the child tells its supervisor. */
export type EngineEvent =
  | { event: 'ready'; port: number; milliseconds: number }
  | { event: 'failed'; reason: string }
  | { event: 'query'; queryId: string; role: string; milliseconds: number; code: number }

const maxRunning = 8
const maxWaiting = 256

function tell(event: EngineEvent): void {
  if (process.connected) process.send?.(event)
  else process.stderr.write(`${JSON.stringify(event)}\n`)
}

function listen(server: ReturnType<typeof createHttpServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

async function policyRows(native: Native, connections: Connections): Promise<PolicyRow[]> {
  const connection = await connections.take('reader')
  try {
    const listed = await native.QueryAsyncConnection(connection, policyQuery, 'TSVRaw')
    const lines = listed.bytes.toString('utf8').trimEnd().split('\n')
    return lines.map((line) => {
      const [kind, name, type] = line.split('\t')
      return { kind, name, type } as PolicyRow
    })
  } finally {
    connections.drop(connection)
  }
}

async function run(dataDir: string, port: number): Promise<void> {
  const native = loadNative()
  const password = writerPassword(dataDir)
  const args = [`--config-file=${writeEngineConfig(dataDir)}`]
  const path = resolve(dataDir, 'clickhouse')
  const connections = await openConnections(native, path, args)
  const slots = createSlots(maxRunning, maxWaiting)
  const policy = readerPolicy(await policyRows(native, connections))
  const check = createStatementCheck(native, connections, policy)
  const workers = createStreamWorkers(path)
  const context = { native, connections, workers, slots, check, policy, writerPassword: password }
  const server = createHttpServer(context, tell)
  const listening = await listen(server, port)

  let stopping = false
  async function stop(): Promise<void> {
    if (stopping) return
    stopping = true
    server.close()
    server.closeIdleConnections()
    const deadline = new Promise((resolve) => setTimeout(resolve, 5_000).unref())
    await Promise.race([slots.idle(), deadline])
    server.closeAllConnections()
    process.exit(0)
  }
  // Without its parent nobody would ever end this process, and it holds the data directory.
  process.on('disconnect', stop)
  process.on('SIGTERM', stop)
  process.on('SIGINT', () => undefined)
  tell({ event: 'ready', port: listening, milliseconds: Math.round(performance.now()) })
}

const [dataDir, port] = process.argv.slice(2)
run(dataDir ?? '.data', Number(port ?? 8123)).catch((error: unknown) => {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
  tell({ event: 'failed', reason })
  process.exitCode = 1
  setTimeout(() => process.exit(1), 50)
})
