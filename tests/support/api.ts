import { pino } from 'pino'
import { inject } from 'vitest'
import { type ApiServices, createApi } from '../../app/api/create-api.ts'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'
import { listen } from '../../app/http/listen.ts'
import { createAuthenticator } from '../../app/pipeline/authenticator.ts'
import { openCluster } from '../../clickhouse/cluster/open-cluster.ts'
import { assignShard } from '../../clickhouse/cluster/tenant-shards.ts'
import { type ConnectOptions, connect } from '../../queries/clickhouse/client.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { nodeUrls } from '../../queries/clickhouse/nodes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { connectPatiently, patience, patientConnections } from './patience.ts'
import { createTenantWriter, type TenantWriter } from './tenants.ts'

export interface RequestOptions {
  readonly key?: { readonly key: string } | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined if the response is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert bodies of every operation
  readonly body: any
}

export interface TestApi extends TenantWriter {
  readonly url: string
  /** @param path with its query, from `/`. */
  get(path: string, options?: RequestOptions): Promise<ApiResponse>
  close(): Promise<void>
}

export interface TestApiOptions
  extends Partial<
    Pick<ApiServices, 'budgets' | 'now' | 'log' | 'endpoints' | 'corsOrigins' | 'collectorUrl' | 'siteTtlMs'>
  > {
  /** Database that the API reads, `http://user:password@host:port/database`; the shared one by default. */
  readonly readUrl?: string
  /** Database that tenants and reports are written to; the shared one by default. */
  readonly writeUrl?: string
  /** Patient ones by default; `{}` for the product's own. */
  readonly connectOptions?: ConnectOptions
  readonly keyTtlMs?: number
  /** Called before each query, which is not sent if it returns false and has no rows then. */
  readonly onRead?: (query: Query<unknown>) => unknown
}

/** Starts the API on a free port; by default on the shared engine, with budgets in memory. */
export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  const { readUrl = inject('servers').readUrl, writeUrl = inject('servers').writeUrl } = options
  const {
    budgets = createMemoryBudgets(),
    log = pino({ level: 'silent' }),
    now,
    endpoints,
    corsOrigins = [],
    onRead,
    connectOptions = patience,
    keyTtlMs,
    siteTtlMs,
    collectorUrl,
  } = options
  const reader = connect(readUrl, { ...connectOptions, isOfRequests: true })
  const database: Database = {
    ...reader,
    read(query, options) {
      return onRead?.(query) === false ? Promise.resolve([]) : reader.read(query, options)
    },
  }
  const writer = connectPatiently(writeUrl)
  const cluster = nodeUrls(writeUrl).length > 1 ? await openCluster(writeUrl, patience) : undefined
  const tenantWriter = createTenantWriter(writer)
  const api = createApi({
    database,
    budgets,
    log,
    corsOrigins,
    collectorUrl,
    authenticator: createAuthenticator((query) => database.read(query), undefined, keyTtlMs),
    ...(now && { now }),
    ...(endpoints && { endpoints }),
    ...(siteTtlMs && { siteTtlMs }),
  })
  const listener = await listen(api, 0, '127.0.0.1', { limits: patientConnections })

  return {
    ...tenantWriter,
    async createTenant(options) {
      const id = await tenantWriter.createTenant(options)
      // Half of them each.
      if (cluster) await assignShard(cluster, id, 1 + (Number.parseInt(id.slice(0, 8), 16) % cluster.shards.length))
      return id
    },
    url: listener.url,
    async get(path, { key, headers, method = 'GET' } = {}) {
      const bearer = key ? { Authorization: `Bearer ${key.key}` } : {}
      const response = await fetch(listener.url + path, { method, headers: { ...bearer, ...headers } })
      const text = await response.text()
      const isJson = text !== '' && response.headers.get('Content-Type') === 'application/json'
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
    },
    async close() {
      await listener.stop()
      await Promise.all([database.close(), writer.close(), cluster?.close(), budgets.close()])
    },
  }
}
