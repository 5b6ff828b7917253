import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
  /** Its spool. */
  readonly folder: string
  /** @param body as it is where it is text or bytes, as JSON otherwise. */
  post(token: string, body: unknown, options?: PostOptions): Promise<Response>
  close(): Promise<void>
}

export async function startTestCollector(
  environment: Readonly<Record<string, string>> = {},
  { log, siteTtlMs, readBoot }: Pick<CollectorOptions, 'siteTtlMs' | 'readBoot'> & { readonly log?: Logger } = {},
): Promise<TestCollector> {
  const folder = environment.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'collector-')))
  const defaults = { DATA_DIR: folder, COLLECTOR_PORT: '0', LOG_LEVEL: 'silent' }
  const config = readConfig({ ...defaults, CLICKHOUSE_URL: inject('servers').writeUrl, ...environment })
  const url = config.CLICKHOUSE_URL as string
  const cluster = config.CLICKHOUSE_CLUSTER ? await openCluster(url, patience) : undefined
  const database = cluster?.client ?? connectPatiently(url)
  const collector = await startCollector(config, database, log ?? createLogger(config), {
    cluster,
    siteTtlMs,
    readBoot,
    blocks: patientBlocks,
  })
  // Posts are 503 until the blocks of a killed collector are sent, if there are any.
  while (!(await takesPosts(collector.url))) await sleep(20)
  return {
    ...createTenantWriter(database),
    url: collector.url,
    database,
    folder: join(folder, 'collector'),
    post(token, body, { type = 'application/reports+json', headers = {} } = {}) {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      return fetch(`${collector.url}/r/${token}`, {
        method: 'POST',
        headers: { 'Content-Type': type, ...headers },
        body: isRaw ? (body as string) : JSON.stringify(body),
      })
    },
    async close() {
      await collector.stop()
      await (cluster ?? database).close()
      if (environment.DATA_DIR === undefined) await rm(folder, { recursive: true })
    },
  }
}

async function takesPosts(url: string): Promise<boolean> {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as { readonly checks: { readonly store: string } }
  return checks.store === 'ok'
}
