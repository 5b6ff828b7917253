import type { Context, MiddlewareHandler } from 'hono'
import { budgetWindowSeconds } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { budgetHeaders } from '../budgets/budget-headers.ts'
import { type BudgetOutcome, type BudgetStore, BudgetUnavailableError } from '../budgets/budget-store.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Charges one token; a handler can charge more. A later rejection still sends the budgets' headers. */
export function chargeBudgets({ charges: names }: Endpoint, budgets: BudgetStore): MiddlewareHandler<ApiEnv> {
  async function charge(c: Context<ApiEnv>, tokens: number): Promise<void> {
    const { key, tenant } = c.get('caller')
    const limits = { key: tenant.entitlements.keyLimit, tenant: tenant.entitlements.tenantLimit }
    const charges = names.map((name) => ({
      name,
      tenantId: tenant.id,
      ownerId: key.id,
      limit: limits[name],
      windowSeconds: budgetWindowSeconds,
      tokens,
    }))
    const outcome = await budgets.take(charges).catch((cause: unknown) => {
      throw cause instanceof BudgetUnavailableError
        ? new Problem('rate_limit_unavailable', undefined, { cause })
        : cause
    })
    Object.assign(c.get('request').responseHeaders, budgetHeaders(outcome))
    if (outcome.allowed) return
    c.get('request').refusedBudgets = refusing(outcome, tokens).map(({ name }) => name)
    throw rateLimited(outcome, tokens)
  }

  return async function chargeBudgets(c, next) {
    c.set('charge', (tokens) => charge(c, tokens))
    await charge(c, 1)
    await next()
  }
}

const refusing = ({ buckets }: BudgetOutcome, tokens: number) => buckets.filter(({ remaining }) => remaining < tokens)

function rateLimited(outcome: BudgetOutcome, tokens: number): Problem {
  const { buckets, retryAfterSeconds } = outcome
  const tooSmall = buckets.find(({ limit }) => limit < tokens)
  const short = refusing(outcome, tokens).map(({ name, limit }) => `${name}: ${limit}`)
  const message =
    tokens === 1
      ? `The budget of requests per minute is spent (${short.join(', ')}); wait ${retryAfterSeconds} s`
      : `The export costs ${tokens} more requests of a budget (${short.join(', ')} per minute); ${tooSmall ? 'narrow the window' : `wait ${retryAfterSeconds} s`}`
  return new Problem('rate_limited', message, { retryAfterSeconds })
}
