import pLimit, { type LimitFunction } from 'p-limit'
import type { QueryPool } from './query-pools.ts'

export type RunLimited = <Result>(tenantId: string | undefined, task: () => Promise<Result>) => Promise<Result>

/** Limits a pool; tasks above a tenant's limit do not delay other tenants. */
/** @param onWait gets the time that each task waited. */
export function limitConcurrency(
  { maxConcurrent, maxConcurrentPerTenant }: QueryPool,
  onWait: (milliseconds: number) => void,
): RunLimited {
  const runInPool = pLimit(maxConcurrent)
  const tenants = new Map<string, { readonly run: LimitFunction; tasks: number }>()

  return async (tenantId, limited) => {
    const queuedAt = performance.now()
    const task = () => {
      onWait(performance.now() - queuedAt)
      return limited()
    }
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
