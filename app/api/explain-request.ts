import { EventEmitter } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import { pino } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { QueryCost } from '../../queries/clickhouse/parse-response.ts'
import type { Query } from '../../queries/sql/query.ts'
import type { Tenant } from '../../queries/tenants/tenants.ts'
import { dayMs } from '../../schema/durations.ts'
import { entitlements } from '../../schema/plans.ts'
import { createMemoryBudgets } from '../budgets/memory-budgets.ts'
import { createApi } from './create-api.ts'

/** A statement of a request. */
export interface RecordedQuery {
  readonly query: Query<unknown>
  readonly rows: readonly unknown[]
  readonly cost: QueryCost | undefined
}

export interface ExplainedRequest {
  readonly status: number
  readonly body: string
  /** Queries in the order in which they ended. */
  readonly queries: readonly RecordedQuery[]
}

/** Runs a request as the tenant, without a key or budgets, and records its statements. */
export async function explainRequest(
  database: Database,
  tenant: Tenant,
  target: string,
  now = () => new Date(),
): Promise<ExplainedRequest> {
  const queries: RecordedQuery[] = []
  const recording: Database = {
    ...database,
    async read(query, options) {
      let cost: QueryCost | undefined
      const rows = await database.read(query, { ...options, onCost: (measured) => (cost = measured) })
      queries.push({ query: query as Query<unknown>, rows, cost })
      return rows
    },
  }
  const api = createApi({
    database: recording,
    budgets: createMemoryBudgets(),
    log: pino({ level: 'silent' }),
    authenticator: async () => callerOf(tenant),
    now,
  })
  const connection = { incoming: {}, outgoing: new EventEmitter() } as unknown as HttpBindings
  const response = await api.fetch(new Request(new URL(target, 'http://localhost')), connection)
  return { status: response.status, body: await response.text(), queries }
}

/** Caller of a request without a key. */
export function callerOf({ id, name, plan, overrides }: Tenant) {
  const now = Date.now()
  return {
    key: {
      id: '00000000-0000-4000-8000-000000000000',
      name: 'explain',
      prefix: '',
      origins: [],
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + dayMs).toISOString(),
    },
    siteId: null,
    tenant: { id, name, plan, entitlements: entitlements(plan, overrides) },
  }
}
