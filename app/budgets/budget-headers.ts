import { type BudgetOutcome, type BudgetState, nearestToRunningOut } from './budget-store.ts'

/** Rule 16, with RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers (RFC 9651 lists). */
export function budgetHeaders({ allowed, buckets }: BudgetOutcome): Record<string, string> {
  const nearest = nearestToRunningOut(buckets)
  if (!nearest) return {}
  return {
    'RateLimit-Limit': String(nearest.limit),
    'RateLimit-Remaining': String(nearest.remaining),
    'RateLimit-Reset': String(nearest.resetSeconds),
    'RateLimit-Policy': buckets
      .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
      .join(', '),
    RateLimit: buckets.map((bucket) => limitItem(bucket, allowed)).join(', '),
  }
}

/** The draft wants `t` to equal Retry-After where a response has both. */
function limitItem({ name, remaining, resetSeconds, retryAfterSeconds }: BudgetState, allowed: boolean): string {
  const isSpent = !allowed && retryAfterSeconds > 0
  return `"${name}";r=${remaining};t=${isSpent ? retryAfterSeconds : resetSeconds}`
}
