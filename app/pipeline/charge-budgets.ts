import type { MiddlewareHandler } from 'hono'
import { budgetWindowSeconds } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { budgetHeaders } from '../budgets/budget-headers.ts'
import {
  type BudgetOutcome,
  type BudgetStore,
  BudgetUnavailableError,
  nearestToRunningOut,
} from '../budgets/budget-store.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Throws rate_limited or rate_limit_unavailable. A later rejection still sends the budgets' headers. */
export function chargeBudgets({ charges: names }: Endpoint, budgets: BudgetStore): MiddlewareHandler<ApiEnv> {
  return async function chargeBudgets(c, next) {
    const { key, tenant } = c.get('caller')
    const limits = { key: tenant.may.keyLimit, tenant: tenant.may.tenantLimit }
    const charges = names.map((name) => ({
      name,
      tenantId: tenant.id,
      ownerId: key.id,
      limit: limits[name],
      windowSeconds: budgetWindowSeconds,
    }))
    const outcome = await budgets.take(charges).catch((cause: unknown) => {
      throw cause instanceof BudgetUnavailableError
        ? new Problem('rate_limit_unavailable', undefined, { cause })
        : cause
    })
    Object.assign(c.get('request').responseHeaders, budgetHeaders(outcome))
    if (!outcome.allowed) throw rateLimited(outcome)
    await next()
  }
}

function rateLimited({ buckets }: BudgetOutcome): Problem {
  const retryAfterSeconds = nearestToRunningOut(buckets)?.retryAfterSeconds ?? 1
  const spent = buckets.filter((bucket) => bucket.retryAfterSeconds > 0).map(({ name, limit }) => `${name}: ${limit}`)
  return new Problem(
    'rate_limited',
    `The budget of requests a minute is spent (${spent.join(', ')}); wait ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  )
}
