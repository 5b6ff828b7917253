import pLimit, { type LimitFunction } from 'p-limit'

/** Runs a task when its turn comes. */
export type TakeTurn = <Result>(tenantId: string | undefined, task: () => Promise<Result>) => Promise<Result>

/**
 * Turns of one lane.
 * @param atOnce tasks under way at once, of all tenants.
 * @param ofOneTenant at most so many of them, so that what one tenant has waiting does not stand before the others'.
 */
export function takeTurns(atOnce: number, ofOneTenant: number): TakeTurn {
  const ofAll = pLimit(atOnce)
  const tenants = new Map<string, { readonly limit: LimitFunction; tasks: number }>()

  return async (tenantId, task) => {
    if (tenantId === undefined) return ofAll(task)
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
