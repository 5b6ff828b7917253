import { type BudgetOutcome, type BudgetState, nearestToRunningOut } from './budget-store.ts'

/**
 * The response headers that report a request's budgets (contract, convention 2): RateLimit-Limit, -Remaining and -Reset
 * of the one nearest to running out, and RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers, RFC 9651
 * lists) of all of them.
 */
export function budgetHeaders({ allowed, buckets }: BudgetOutcome): Record<string, string> {
  const nearest = nearestToRunningOut(buckets)
  if (!nearest) return {}
  return {
    'RateLimit-Limit': String(nearest.limit),
    'RateLimit-Remaining': String(nearest.remaining),
    'RateLimit-Reset': String(nearest.resetSeconds),
    'RateLimit-Policy': buckets.map(policyItem).join(', '),
    RateLimit: buckets.map((bucket) => limitItem(bucket, allowed)).join(', '),
  }
}

function policyItem({ name, limit, windowSeconds }: BudgetState): string {
  return `"${name}";q=${limit};w=${windowSeconds}`
}

/** The draft wants `t` to name the moment of Retry-After where a response has both; elsewhere it is when all is back. */
function limitItem({ name, remaining, resetSeconds, retryAfterSeconds }: BudgetState, allowed: boolean): string {
  const refused = !allowed && retryAfterSeconds > 0
  return `"${name}";r=${remaining};t=${refused ? retryAfterSeconds : resetSeconds}`
}
