/** @module Rule 13: arithmetic of a bucket in whole microseconds. */

export interface Budget {
  /** Whole requests, and whole seconds for the window; both at least 1. */
  readonly limit: number
  readonly windowSeconds: number
}

/** Whole microseconds, exact in Lua's doubles up to 2^53: as a Unix time, until the year 2255. */
export interface BucketPace {
  /** Until one token returns. */
  readonly token: number
  /** Until an empty bucket is full. */
  readonly span: number
}

/** Stored as the time at which it is full, so that a full bucket needs no storage. */
export interface Bucket extends BucketPace {
  /** Microseconds on the store's clock; the past, such as 0, is a full bucket. */
  readonly fullAt: number
  /** Tokens to take, 1 by default. */
  readonly tokens?: number | undefined
}

/** Whole tokens, and whole seconds rounded up. */
export interface BucketLevel {
  readonly remaining: number
  /** Until the bucket is full. */
  readonly resetSeconds: number
  /** Seconds until a token is available; 0 if one is. */
  readonly retryAfterSeconds: number
}

const microsecondsPerSecond = 1_000_000

/** Rounds a token's time down, so that no bucket fills after its window. Throws RangeError. */
export function bucketPace({ limit, windowSeconds }: Budget): BucketPace {
  const token = Math.floor((windowSeconds * microsecondsPerSecond) / limit)
  const whole = Number.isSafeInteger(limit) && Number.isSafeInteger(windowSeconds)
  if (!whole || limit < 1 || windowSeconds < 1 || token < 1) {
    throw new RangeError(`A budget of ${limit} requests in ${windowSeconds} seconds is not supported`)
  }
  return { token, span: token * limit }
}

/** Microseconds by which a take moves the time when its bucket is full. */
export const costOf = ({ token, tokens = 1 }: Pick<Bucket, 'token' | 'tokens'>): number => token * tokens

/**
 * Takes from every bucket or none. A bucket that is full later than its pace allows (lower limit, clock set back) is
 * empty.
 */
export function takeFromAll<B extends Bucket>(
  buckets: readonly B[],
  now: number,
): { readonly allowed: boolean; readonly buckets: readonly B[] } {
  const current = buckets.map((bucket) => ({
    ...bucket,
    fullAt: Math.min(Math.max(bucket.fullAt, now), now + bucket.span),
  }))
  const allowed = current.every(({ fullAt, span, ...bucket }) => fullAt + costOf(bucket) <= now + span)
  if (!allowed) return { allowed, buckets: current }
  return { allowed, buckets: current.map((bucket) => ({ ...bucket, fullAt: bucket.fullAt + costOf(bucket) })) }
}

/** Whole seconds, rounded up, until a bucket has the tokens. @param untilFull microseconds, from 0 to the span. */
export const secondsUntil = ({ token, span }: BucketPace, untilFull: number, tokens?: number): number =>
  Math.ceil(Math.max(0, untilFull + costOf({ token, tokens }) - span) / microsecondsPerSecond)

/** @param untilFull microseconds, from 0 to the span. */
export function bucketLevel({ token, span }: BucketPace, untilFull: number): BucketLevel {
  return {
    remaining: Math.floor((span - untilFull) / token),
    resetSeconds: Math.ceil(untilFull / microsecondsPerSecond),
    retryAfterSeconds: secondsUntil({ token, span }, untilFull),
  }
}
