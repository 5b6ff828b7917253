import pLimit, { type LimitFunction } from 'p-limit'
import type { QueryPool } from './query-pools.ts'

export type RunLimited = <Result>(tenantId: string | undefined, task: () => Promise<Result>) => Promise<Result>

/** Limits a pool; a tenant's tasks above its own limit do not delay other tenants' tasks. */
export function limitConcurrency({ maxConcurrent, maxConcurrentPerTenant }: QueryPool): RunLimited {
  const runInPool = pLimit(maxConcurrent)
  const tenants = new Map<string, { readonly run: LimitFunction; tasks: number }>()

  return async (tenantId, task) => {
    if (tenantId === undefined || maxConcurrentPerTenant === undefined) return runInPool(task)
    const tenant = tenants.get(tenantId) ?? { run: pLimit(maxConcurrentPerTenant), tasks: 0 }
    tenants.set(tenantId, tenant)
    tenant.tasks++
    try {
      return await tenant.run(() => runInPool(task))
    } finally {
      if (--tenant.tasks === 0) tenants.delete(tenantId)
    }
  }
}
