import pLimit, { type LimitFunction } from 'p-limit'
import type { LaneRow } from './query-pools.ts'

/** Runs a task when its turn comes. */
export type TakeTurn = <Result>(tenantId: string | undefined, task: () => Promise<Result>) => Promise<Result>

/** Turns of one lane: what a tenant has waiting beyond its own does not stand before what the others have. */
export function takeTurns({ atOnce, ofOneTenant }: LaneRow): TakeTurn {
  const ofAll = pLimit(atOnce)
  const tenants = new Map<string, { readonly limit: LimitFunction; tasks: number }>()

  return async (tenantId, task) => {
    if (tenantId === undefined || ofOneTenant === undefined) return ofAll(task)
    const own = tenants.get(tenantId) ?? { limit: pLimit(ofOneTenant), tasks: 0 }
    tenants.set(tenantId, own)
    own.tasks++
    try {
      return await own.limit(() => ofAll(task))
    } finally {
      if (--own.tasks === 0) tenants.delete(tenantId)
    }
  }
}
