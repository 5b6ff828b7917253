import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { type Engine, type EngineOptions, startEngine } from '../../clickhouse/engine/supervisor.ts'

/** A real engine on a free port and in a directory of its own, with a client for each of its users. */
export type TestEngine = Engine & {
  dataDir: string
  read: ClickHouseClient
  write: ClickHouseClient
  /** Ends the engine and removes its directory. */
  end(): Promise<void>
}

/** Starts one; call `end()` in `afterAll`. */
export async function startTestEngine(options: Partial<EngineOptions> = {}): Promise<TestEngine> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'engine-test-'))
  const engine = await startEngine({ port: 0, onEvent: () => undefined, ...options, dataDir })
  const log = { level: ClickHouseLogLevel.OFF }
  const read = createClient({ url: engine.url, ...engine.reader, log })
  const write = createClient({ url: engine.url, ...engine.writer, log })
  return {
    ...engine,
    dataDir,
    read,
    write,
    async end() {
      await Promise.all([read.close(), write.close()])
      await engine.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** One HTTP answer of the engine, read to its end. */
export type EngineAnswer = { status: number; headers: Headers; text: string }

/** Sends a text as curl would; `as: 'writer'` adds the password. */
export async function ask(
  engine: Engine,
  text: string,
  options: { as?: 'writer'; search?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<EngineAnswer> {
  const login = Buffer.from(`writer:${engine.writer.password}`).toString('base64')
  const response = await fetch(`${engine.url}/?${new URLSearchParams(options.search)}`, {
    method: 'POST',
    body: text,
    headers: { ...(options.as ? { Authorization: `Basic ${login}` } : {}), ...options.headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
