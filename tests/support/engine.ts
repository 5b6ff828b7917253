import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { User } from '../../clickhouse/engine/passwords.ts'
import { type Engine, type EngineOptions, startEngine } from '../../clickhouse/engine/start-engine.ts'
import { freePort } from './free-port.ts'

/** A real engine on a free port and in a directory of its own, with a client for each of its users. */
export type TestEngine = Engine & {
  dataDir: string
  read: ClickHouseClient
  write: ClickHouseClient
  /** Kills the engine and removes its directory. */
  end(): Promise<void>
}

/** Starts one; call `end()` in `afterAll`. */
export async function startTestEngine(options: Partial<EngineOptions> = {}): Promise<TestEngine> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'engine-test-'))
  const engine = await startEngine({ port: await freePort(), ...options, dataDir })
  const log = { level: ClickHouseLogLevel.OFF }
  const read = createClient({ url: engine.userUrls.reader, log })
  const write = createClient({ url: engine.userUrls.writer, log })
  return {
    ...engine,
    dataDir,
    read,
    write,
    async end() {
      await Promise.all([read.close(), write.close()])
      await killEngine(engine)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Ends an engine whose data nobody reads again, without the up to 5 s in which it would finish statements and connections. */
export async function killEngine(engine: Engine): Promise<void> {
  const pid = engine.pid()
  const stopped = engine.stop()
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
  await stopped
}

/** An HTTP response of the engine, read to its end. */
export type EngineResponse = { status: number; code: string | null; text: string }

/** Sends a statement as curl would, with the user's password. */
export async function sendStatement(
  engine: Engine,
  user: User,
  statement: string,
  search: Readonly<Record<string, string>> = {},
): Promise<EngineResponse> {
  const { username, password, origin } = new URL(engine.userUrls[user])
  const headers = { Authorization: `Basic ${btoa(`${username}:${password}`)}` }
  return sendRequest(`${origin}/?${new URLSearchParams(search)}`, { method: 'POST', body: statement, headers })
}

/** Sends a request on a connection of its own: an engine that stops waits up to 5 s for idle ones. */
export async function sendRequest(url: string, init: RequestInit): Promise<EngineResponse> {
  const response = await fetch(url, { ...init, headers: { ...init.headers, Connection: 'close' } })
  const code = response.headers.get('X-ClickHouse-Exception-Code')
  return { status: response.status, code, text: await response.text() }
}
