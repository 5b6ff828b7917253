/** A request budget: a bucket of `limit` tokens, refilled continuously at `limit / windowSeconds` (decisions, Budgets). */
export interface Budget {
  /** Whole requests, at least 1. */
  readonly limit: number
  /** Whole seconds, at least 1. */
  readonly windowSeconds: number
}

/**
 * A bucket's arithmetic in whole microseconds, so that Lua's doubles and ours agree to the last bit: they are exact up
 * to 2^53, which as a Unix time lasts until the year 2255.
 */
export interface BucketPace {
  /** Microseconds in which one token returns. */
  readonly token: number
  /** Microseconds in which an empty bucket fills: `limit` tokens. */
  readonly span: number
}

/** A bucket as it is stored: only the time at which it will be full, so that a full bucket needs no storage at all. */
export interface Bucket extends BucketPace {
  /** Microseconds on the store's clock; anything in the past, such as 0, is a full bucket. */
  readonly fullAt: number
}

/** A bucket's content at one moment. */
export interface BucketLevel {
  /** Whole tokens. */
  readonly remaining: number
  /** Whole seconds, rounded up, until the bucket is full. */
  readonly resetSeconds: number
  /** Whole seconds, rounded up, until a token is there; 0 when one is. */
  readonly retryAfterSeconds: number
}

const microsecondsPerSecond = 1_000_000

/**
 * The pace of a budget. A token's time is rounded down to the microsecond, so that an empty bucket is never announced
 * to fill later than its window. Throws RangeError for a budget that is not whole, positive and at most a token a
 * microsecond.
 */
export function bucketPace({ limit, windowSeconds }: Budget): BucketPace {
  const token = Math.floor((windowSeconds * microsecondsPerSecond) / limit)
  const whole = Number.isSafeInteger(limit) && Number.isSafeInteger(windowSeconds)
  if (!whole || limit < 1 || windowSeconds < 1 || token < 1) {
    throw new RangeError(`A budget of ${limit} requests in ${windowSeconds} seconds cannot be kept`)
  }
  return { token, span: token * limit }
}

/**
 * Takes one token from every bucket, or from none when one of them has none. `now` is in microseconds. A bucket that
 * would take longer to fill than its pace allows (its limit was lowered, or the clock went back) counts as empty.
 * `take.lua` is the same step in Redis.
 */
export function takeFromAll<B extends Bucket>(
  buckets: readonly B[],
  now: number,
): { readonly allowed: boolean; readonly buckets: readonly B[] } {
  const current = buckets.map((bucket) => ({
    ...bucket,
    fullAt: Math.min(Math.max(bucket.fullAt, now), now + bucket.span),
  }))
  const allowed = current.every(({ fullAt, token, span }) => fullAt + token <= now + span)
  if (!allowed) return { allowed, buckets: current }
  return { allowed, buckets: current.map((bucket) => ({ ...bucket, fullAt: bucket.fullAt + bucket.token })) }
}

/** The level of a bucket that will be full in `untilFull` microseconds, from 0 to its span. */
export function bucketLevel({ token, span }: BucketPace, untilFull: number): BucketLevel {
  const untilToken = Math.max(0, untilFull + token - span)
  return {
    remaining: Math.floor((span - untilFull) / token),
    resetSeconds: Math.ceil(untilFull / microsecondsPerSecond),
    retryAfterSeconds: Math.ceil(untilToken / microsecondsPerSecond),
  }
}
