import { budgetWindowSeconds } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { budgetHeaders } from '../budgets/budget-headers.ts'
import {
  type BudgetName,
  type BudgetStore,
  BudgetUnavailableError,
  secondsUntilAllowed,
} from '../budgets/budget-store.ts'
import type { Caller } from './authenticator.ts'

/**
 * Takes one token of each named budget, or of none. Throws rate_limited or rate_limit_unavailable.
 * @param report is given the headers even where the request is refused.
 */
export async function spend(
  budgets: BudgetStore,
  names: readonly BudgetName[],
  { key, tenant }: Caller,
  report: (headers: Record<string, string>) => void,
): Promise<void> {
  const limits = { key: tenant.may.keyLimit, tenant: tenant.may.tenantLimit }
  const charges = names.map((name) => ({
    name,
    tenantId: tenant.id,
    keyId: key.id,
    limit: limits[name],
    windowSeconds: budgetWindowSeconds,
  }))
  const outcome = await budgets.take(charges).catch((cause: unknown) => {
    throw cause instanceof BudgetUnavailableError ? new Problem('rate_limit_unavailable', undefined, { cause }) : cause
  })
  report(budgetHeaders(outcome))
  if (outcome.allowed) return
  const retryAfterSeconds = secondsUntilAllowed(outcome.buckets)
  const spent = outcome.buckets
    .filter((bucket) => bucket.retryAfterSeconds > 0)
    .map(({ name, limit }) => `${name}: ${limit}`)
  throw new Problem(
    'rate_limited',
    `The budget of requests a minute is spent (${spent.join(', ')}); wait ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  )
}
