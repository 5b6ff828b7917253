import { type BudgetOutcome, type BudgetState, nearestToRunningOut } from './budget-store.ts'

/** Rule 16, with RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers (RFC 9651 lists). */
export function budgetHeaders({ buckets }: Omit<BudgetOutcome, 'retryAfterSeconds'>): Record<string, string> {
  const nearest = nearestToRunningOut(buckets)
  if (!nearest) return {}
  return {
    'RateLimit-Limit': String(nearest.limit),
    'RateLimit-Remaining': String(nearest.remaining),
    'RateLimit-Reset': String(secondsToWait(nearest)),
    'RateLimit-Policy': buckets
      .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
      .join(', '),
    RateLimit: buckets.map((bucket) => `"${bucket.name}";r=${bucket.remaining};t=${secondsToWait(bucket)}`).join(', '),
  }
}

/** Seconds until the bucket is full; if nothing remains, until one token is available, as in Retry-After. */
const secondsToWait = ({ resetSeconds, retryAfterSeconds }: BudgetState) => retryAfterSeconds || resetSeconds
