import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { inject } from 'vitest'
import { type CollectorOptions, startCollector } from '../../app/collector/start-collector.ts'
import { readConfig } from '../../app/config.ts'
import { createLogger } from '../../app/program/create-logger.ts'
import { openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { connectPatiently, patience, patientBlocks } from './patience.ts'
import { createTenantWriter, type TenantWriter } from './tenants.ts'

export interface PostOptions {
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A collector of its own into the shared engine. */
export interface TestCollector extends TenantWriter {
  readonly url: string
  readonly database: Database
  /** Its log. */
  readonly folder: string
  /**
   * Returns when the reports of a 204 are stored.
   * @param body as it is where it is text or bytes, as JSON otherwise.
   */
  post(token: string, body: unknown, options?: PostOptions): Promise<Response>
  /** Resolves when each report that it took is stored. */
  drained(): Promise<void>
  close(): Promise<void>
}

export interface TestCollectorOptions extends Pick<CollectorOptions, 'siteTtlMs' | 'readBoot' | 'blocks'> {
  readonly log?: Logger
  /** Replaces parts of the collector's database. */
  readonly replace?: (database: Database) => Partial<Database>
  /** False where a post returns with its response. */
  readonly waits?: boolean
}

export async function startTestCollector(
  environment: Readonly<Record<string, string>> = {},
  { log, siteTtlMs, readBoot, blocks = patientBlocks, replace, waits = true }: TestCollectorOptions = {},
): Promise<TestCollector> {
  const folder = environment.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'collector-')))
  const defaults = { DATA_DIR: folder, COLLECTOR_PORT: '0', LOG_LEVEL: 'silent' }
  const config = readConfig({ ...defaults, CLICKHOUSE_URL: inject('servers').writeUrl, ...environment })
  const url = config.CLICKHOUSE_URL as string
  const cluster = config.CLICKHOUSE_CLUSTER ? await openCluster(url, patience) : undefined
  const database = cluster?.client ?? connectPatiently(url)
  const own = { ...database, ...replace?.(database) }
  const options = { cluster, siteTtlMs, readBoot, blocks }
  const collector = await startCollector(config, own, log ?? createLogger(config), options)
  return {
    ...createTenantWriter(database),
    url: collector.url,
    database,
    folder: join(folder, 'collector'),
    drained: collector.drained,
    async post(token, body, { type = 'application/reports+json', headers = {} } = {}) {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      const response = await fetch(`${collector.url}/r/${token}`, {
        method: 'POST',
        headers: { 'Content-Type': type, ...headers },
        body: isRaw ? (body as string) : JSON.stringify(body),
      })
      if (waits && response.status === 204) await collector.drained()
      return response
    },
    async close() {
      await collector.stop()
      await (cluster ?? database).close()
      if (environment.DATA_DIR === undefined) await rm(folder, { recursive: true })
    },
  }
}
