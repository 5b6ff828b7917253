import { readFile } from 'node:fs/promises'
import { writerPasswordPath } from '../clickhouse/engine/access.ts'
import { type Engine, type EngineOptions, startEngine } from '../clickhouse/engine/supervisor.ts'
import { type MigrateOptions, migrate } from '../clickhouse/migrate.ts'
import { connect, type Database } from '../queries/clickhouse/client.ts'
import type { Config } from './config.ts'

/** The engine a command works on. */
export interface EngineAccess {
  /** May only read, within limits; with CLICKHOUSE_URL, whatever its user may. */
  readonly reader: Database
  /** May write; with CLICKHOUSE_URL, the same user as the reader. */
  readonly writer: Database
  /** Where it listens, without a password. */
  readonly url: string
  /** Names of the migrations that were applied on opening. */
  readonly migrated: readonly string[]
  /** Ends the connections, and the engine where this access started it. */
  close(): Promise<void>
}

/** How an embedded engine is started and migrated where none runs. */
export interface EngineAccessOptions {
  /** 0, the default, takes any free port: what answers on CLICKHOUSE_PORT is then never gone with a command's end. */
  readonly port?: number
  readonly onStep?: MigrateOptions['onStep']
  /** Hears of an engine started here; by default nobody does. */
  readonly onEvent?: NonNullable<EngineOptions['onEvent']>
}

/**
 * The server of CLICKHOUSE_URL; else the embedded engine of DATA_DIR that runs on CLICKHOUSE_PORT; else that engine,
 * started here. An embedded engine comes migrated. Throws an Error of one line when there is none to be had.
 */
export async function openEngine(
  config: Pick<Config, 'CLICKHOUSE_URL' | 'CLICKHOUSE_PORT' | 'DATA_DIR'>,
  options: EngineAccessOptions = {},
): Promise<EngineAccess> {
  if (config.CLICKHOUSE_URL) return openServer(config.CLICKHOUSE_URL)
  const running = await findRunning(config.DATA_DIR, config.CLICKHOUSE_PORT)
  const access = running ?? (await startOwn(config.DATA_DIR, options))
  try {
    const migrated = await migrate(access.writer, { ...(options.onStep && { onStep: options.onStep }) })
    return { ...access, migrated }
  } catch (error) {
    await access.close()
    throw error
  }
}

async function openServer(url: string): Promise<EngineAccess> {
  const database = connect(url)
  const { origin } = new URL(url)
  if (!(await database.ping())) {
    await database.close()
    throw new Error(`CLICKHOUSE_URL: ${origin} does not answer, or refuses its user`)
  }
  return { reader: database, writer: database, url: origin, migrated: [], close: () => database.close() }
}

/** An engine that takes this folder's password is this folder's engine. */
async function findRunning(dataDir: string, port: number): Promise<EngineAccess | undefined> {
  const password = await readFile(writerPasswordPath(dataDir), 'utf8').catch(() => undefined)
  if (port === 0 || password === undefined) return undefined
  const access = openEmbedded(port, password.trim(), async () => undefined)
  if (await access.writer.ping()) return access
  await access.close()
  return undefined
}

async function startOwn(
  dataDir: string,
  { port = 0, onEvent = () => undefined }: EngineAccessOptions,
): Promise<EngineAccess> {
  const engine: Engine = await startEngine({ dataDir, port, onEvent }).catch((error: Error) => {
    throw new Error(whyNot(error.message, dataDir, port), { cause: error })
  })
  return openEmbedded(engine.port, engine.writer.password, () => engine.stop())
}

/** Names the variable that another value would help. */
function whyNot(reason: string, dataDir: string, port: number): string {
  if (/EADDRINUSE/.test(reason)) return `Port ${port} on 127.0.0.1 is taken; set CLICKHOUSE_PORT to another`
  if (/lock/i.test(reason)) {
    return `${dataDir} is held by another process: wait for the command that runs, or name the CLICKHOUSE_PORT of its engine`
  }
  return `${reason} (DATA_DIR is ${dataDir})`
}

function openEmbedded(port: number, password: string, stop: () => Promise<void>): EngineAccess {
  const address = `127.0.0.1:${port}`
  const reader = connect(`http://${address}/default`)
  const writer = connect(`http://writer:${password}@${address}/default`)
  return {
    reader,
    writer,
    url: `http://${address}`,
    migrated: [],
    async close() {
      await Promise.all([reader.close(), writer.close()])
      await stop()
    },
  }
}
