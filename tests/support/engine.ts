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
  const engine = await startEngine({ port: 0, ...options, dataDir })
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
