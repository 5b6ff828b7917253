import { pino } from 'pino'
import { inject } from 'vitest'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'
import { type ApiServices, createApi } from '../../app/server/create-api.ts'
import { listen } from '../../app/server/listen.ts'
import { connect, type Database } from '../../queries/clickhouse/client.ts'
import type { Query } from '../../queries/sql/query.ts'
import { createTenantWriter, type TenantWriter } from './tenants.ts'

/** What a request carries. */
export interface Asking {
  /** Sent as a bearer. */
  readonly key?: { readonly key: string } | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** An answer, its body read; `body` is undefined where it is not JSON. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects of a body
  readonly body: any
}

/** The API over HTTP, and a way to write what it reads. */
export interface TestApi extends TenantWriter {
  readonly url: string
  /** @param path with its query, from `/`. */
  get(path: string, asking?: Asking): Promise<Answered>
  close(): Promise<void>
}

/** What a test wants of its own instead of the shared. */
export interface TestApiOptions extends Partial<Pick<ApiServices, 'budgets' | 'now' | 'log' | 'endpoints'>> {
  /** The store the API reads, `http://user:password@host:port/database`. */
  readonly readUrl?: string
  /** The store that tenants and reports are written to. */
  readonly writeUrl?: string
  /** Hears of everything that is read from the store. */
  readonly onRead?: (query: Query<unknown>) => void
}

/** Starts an API on a free port, on the shared engine and with budgets in memory unless told otherwise. */
export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  const { readUrl = inject('servers').readUrl, writeUrl = inject('servers').writeUrl } = options
  const { budgets = createMemoryBudgets(), log = pino({ level: 'silent' }), now, endpoints, onRead } = options
  const reader = connect(readUrl)
  const database: Database = {
    ...reader,
    read(query, given) {
      onRead?.(query)
      return reader.read(query, given)
    },
  }
  const writer = connect(writeUrl)
  const listener = await listen(
    createApi({ database, budgets, log, ...(now && { now }), ...(endpoints && { endpoints }) }),
    0,
    '127.0.0.1',
  )

  return {
    ...createTenantWriter(writer),
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
      await Promise.all([database.close(), writer.close(), budgets.close()])
    },
  }
}
