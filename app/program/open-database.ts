import { readFile } from 'node:fs/promises'
import { connect as openSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { everyShard } from '../../clickhouse/cluster/every-shard.ts'
import { type Cluster, openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { isOwned } from '../../clickhouse/engine/folder-owner.ts'
import { isConfined, unconfined } from '../../clickhouse/engine/is-confined.ts'
import { withoutLostWrites } from '../../clickhouse/engine/lost-writes.ts'
import { ofEachUser, passwordPath, type User } from '../../clickhouse/engine/passwords.ts'
import { type Engine, type EngineOptions, startEngine, userUrls } from '../../clickhouse/engine/start-engine.ts'
import { type MigrateOptions, migrate } from '../../clickhouse/migrate.ts'
import { type ConnectOptions, connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Config } from '../config.ts'
import { connectionFault } from './connection-fault.ts'
import { explainError } from './explain-error.ts'

export interface DatabaseAccess {
  /** Can only read, within limits; with CLICKHOUSE_URL, the rights of its user. */
  readonly reader: Database
  /** Reads for people, without keys and tokens; with CLICKHOUSE_URL, the same user as the reader. */
  readonly analyst: Database
  /** Can write; with CLICKHOUSE_URL, the same user as the reader. */
  readonly writer: Database
  readonly url: string
  /** Whether the embedded engine was started here, so that no other program runs on its folder. */
  readonly ownsEngine: boolean
  readonly migrated: readonly string[]
  /** Undefined for a single server. */
  readonly cluster: Cluster | undefined
  /**
   * Databases of the writer with the tenants' rows: the whole database, or on a cluster each shard's. Throws if no node
   * of a shard responds.
   */
  shards(): readonly Database[]
  /** Closes the connections, and stops an engine that was started here. */
  close(): Promise<void>
}

export interface OpenDatabaseOptions {
  /** 0, the default, is any free port, so that CLICKHOUSE_PORT never disappears with a short command. */
  readonly port?: number
  readonly onStep?: MigrateOptions['onStep']
  /**
   * Embedded engines to migrate; by default only an engine started here, because another program's engine can be of an
   * older release.
   */
  readonly migrates?: 'own' | 'any' | 'none'
  readonly onDeath?: NonNullable<EngineOptions['onDeath']>
  /** For a program that starts before the server of CLICKHOUSE_URL, or a node of it, responds; without it that is an Error. */
  readonly onUnavailable?: (line: string) => void
  readonly connectOptions?: ConnectOptions | undefined
  readonly ownerTimeoutMs?: number | undefined
}

/** A killed engine is back within 3 s, and an engine whose parent was killed ends within 5 s. */
const defaultOwnerTimeoutMs = 10_000
const pollMs = 200

/** Opens CLICKHOUSE_URL, else DATA_DIR's engine on CLICKHOUSE_PORT, else starts that engine, and by default migrates it. */
export async function openDatabase(
  config: Pick<Config, 'CLICKHOUSE_URL' | 'CLICKHOUSE_CLUSTER' | 'CLICKHOUSE_QUORUM' | 'CLICKHOUSE_PORT' | 'DATA_DIR'>,
  options: OpenDatabaseOptions = {},
): Promise<DatabaseAccess> {
  const { CLICKHOUSE_URL, CLICKHOUSE_CLUSTER, CLICKHOUSE_QUORUM: quorum } = config
  const connectOptions = { ...options.connectOptions, quorum }
  if (CLICKHOUSE_URL)
    return (CLICKHOUSE_CLUSTER ? openNodes : openServer)(CLICKHOUSE_URL, { ...options, connectOptions })
  const { migrates = 'own' } = options
  const access = await openFolder(config.DATA_DIR, config.CLICKHOUSE_PORT, options)
  if (migrates === 'none' || (migrates === 'own' && !access.ownsEngine)) return access
  try {
    const migrated = await migrate(access.writer, { ...(options.onStep && { onStep: options.onStep }) })
    return { ...access, migrated }
  } catch (error) {
    await access.close()
    throw error
  }
}

/** Never opens the folder of an owner whose engine is restarting: the owner could not start it again. */
async function openFolder(dataDir: string, enginePort: number, options: OpenDatabaseOptions): Promise<DatabaseAccess> {
  const { ownerTimeoutMs = defaultOwnerTimeoutMs } = options
  const deadline = Date.now() + ownerTimeoutMs
  for (;;) {
    const running = await findRunning(dataDir, enginePort, options)
    if (typeof running === 'object') return running
    const heldBy = running === 'busy' ? busyError(enginePort) : heldError(dataDir)
    const held = (await isOwned(dataDir)) ? new Error(heldBy) : undefined
    const started = held ?? (await startOwn(dataDir, options).catch((error: Error) => error))
    if (!(started instanceof Error)) return started
    if ((started !== held && started.message !== heldError(dataDir)) || Date.now() > deadline) throw started
    await sleep(pollMs)
  }
}

async function openServer(
  url: string,
  { connectOptions, onUnavailable }: OpenDatabaseOptions,
): Promise<DatabaseAccess> {
  const database = connect(url, connectOptions)
  const { origin } = new URL(url)
  const fault = await connectionFault(url, connectOptions?.pingTimeoutMs)
  if (fault !== undefined) {
    const line = `CLICKHOUSE_URL: ${fault}`
    if (!onUnavailable) {
      await database.close()
      throw new Error(line)
    }
    onUnavailable(line)
  }
  const close = () => database.close()
  return { ...sameUser(database), url: origin, cluster: undefined, shards: () => [database], close }
}

async function openNodes(
  urls: string,
  { connectOptions, onUnavailable }: OpenDatabaseOptions,
): Promise<DatabaseAccess> {
  const cluster = await openCluster(urls, connectOptions, onUnavailable)
  const url = cluster.nodes.map(({ origin }) => origin).join(', ')
  const shards = () => everyShard(cluster).map(({ database }) => database)
  return { ...sameUser(cluster.client), url, cluster, shards, close: cluster.close }
}

const sameUser = (database: Database) => ({
  reader: database,
  analyst: database,
  writer: database,
  ownsEngine: false,
  migrated: [],
})

/** An engine that accepts the folder's passwords is the folder's own. */
async function findRunning(
  dataDir: string,
  port: number,
  { connectOptions, ownerTimeoutMs = defaultOwnerTimeoutMs }: OpenDatabaseOptions,
): Promise<DatabaseAccess | 'busy' | undefined> {
  if (port === 0) return undefined
  const password = (user: User) => readFile(passwordPath(dataDir, user), 'utf8').then((text) => text.trim())
  const found = ofEachUser(password)
  const passwords = await Promise.all([found.reader, found.analyst, found.writer]).catch(() => undefined)
  if (!passwords) return undefined
  const [reader, analyst, writer] = passwords
  const url = `http://127.0.0.1:${port}`
  const urls = userUrls(port, { reader, analyst, writer })
  const fault = await connectionFault(urls.writer, connectOptions?.pingTimeoutMs ?? ownerTimeoutMs)
  if (fault === undefined) return openEmbedded({ url, userUrls: urls }, connectOptions)
  return fault.endsWith('does not respond') && (await isListening(port)) ? 'busy' : undefined
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = openSocket(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })

async function startOwn(
  dataDir: string,
  { port = 0, onStep, onDeath, connectOptions }: OpenDatabaseOptions,
): Promise<DatabaseAccess> {
  const engine = await startEngine({ dataDir, port, ...(onDeath && { onDeath }) }).catch((error: Error) => {
    throw new Error(startError(error, dataDir, port), { cause: error })
  })
  const access = openEmbedded(engine, connectOptions)
  // The engine of a short command has no port that people know.
  if (port !== 0 && onStep && !(await isConfined(access.reader, dataDir))) onStep(unconfined)
  return {
    ...access,
    ownsEngine: true,
    async close() {
      await access.close()
      await engine.stop()
    },
  }
}

const busyError = (port: number) =>
  `The engine on port ${port} is busy and does not respond: run the command again later`

const heldError = (dataDir: string) =>
  `Another process uses ${dataDir}: wait until it ends, or set CLICKHOUSE_PORT to the port of its engine`

function startError(error: Error, dataDir: string, port: number): string {
  const { code, port: taken } = (error.cause ?? {}) as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE' && taken === port)
    return `Port ${port} on 127.0.0.1 is in use; set CLICKHOUSE_PORT to another port`
  if (code === undefined && /lock/i.test(error.message)) return heldError(dataDir)
  const reason =
    code === undefined ? error.message : `The embedded ClickHouse cannot start: ${explainError(error.cause)}`
  return `${reason} (DATA_DIR is ${dataDir})`
}

function openEmbedded({ url, userUrls }: Pick<Engine, 'url' | 'userUrls'>, options?: ConnectOptions): DatabaseAccess {
  const connections = ofEachUser((user) => connect(userUrls[user], options))
  const databases = { ...connections, writer: withoutLostWrites(connections.writer, userUrls.writer) }
  return {
    ...databases,
    url,
    ownsEngine: false,
    migrated: [],
    cluster: undefined,
    shards: () => [databases.writer],
    async close() {
      await Promise.all(Object.values(databases).map((database) => database.close()))
    },
  }
}
