import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Tenant } from '../../queries/tenants/tenants.ts'
import { Problem } from '../../schema/problems.ts'
import { createMemoryBudgets } from '../budgets/memory-budgets.ts'
import { listen } from '../http/listen.ts'
import { createApi } from './create-api.ts'
import { callerOf } from './explain-request.ts'

export interface ServedTenant {
  readonly url: string
  /** The only key, with the largest budget. */
  readonly key: string
  close(): Promise<void>
}

/** The largest budget per minute. */
const mostRequests = 1_000_000

/** Serves the API of one tenant to this machine, on a free port. */
export async function serveTenant(database: Database, tenant: Tenant): Promise<ServedTenant> {
  const key = randomBytes(32).toString('base64url')
  const overrides = { ...tenant.overrides, keyLimit: mostRequests, tenantLimit: mostRequests }
  const caller = callerOf({ ...tenant, overrides })
  const api = createApi({
    database,
    budgets: createMemoryBudgets(),
    log: pino({ level: 'silent' }),
    async authenticator(authorization) {
      if (authorization !== `Bearer ${key}`) throw new Problem('invalid_api_key')
      return caller
    },
  })
  const { url, stop } = await listen(api, 0, '127.0.0.1')
  return { url, key, close: () => stop() }
}
