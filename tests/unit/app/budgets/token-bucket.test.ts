import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Budget, bucketLevel, bucketPace, takeFromAll } from '../../../../app/budgets/token-bucket.ts'
import { numberOfCases } from '../../../support/number-of-cases.ts'

const second = 1_000_000
const start = 1_800_000_000 * second

/** A bucket of one budget and the clock it is taken from. */
function bucketOf(budget: Budget) {
  let fullAt = 0
  let now = start
  return {
    wait(microseconds: number) {
      now += microseconds
    },
    take(limit = budget.limit) {
      const pace = bucketPace({ ...budget, limit })
      const { allowed, buckets } = takeFromAll([{ ...pace, fullAt }], now)
      fullAt = buckets[0]?.fullAt ?? 0
      return { allowed, ...bucketLevel(pace, fullAt - now) }
    },
    takeMany(count: number) {
      return Array.from({ length: count }, () => this.take()).filter(({ allowed }) => allowed).length
    },
  }
}

describe('a token bucket', () => {
  test('allows a burst of its limit and rejects the next request', () => {
    const bucket = bucketOf({ limit: 120, windowSeconds: 60 })
    expect(bucket.takeMany(120)).toBe(120)
    expect(bucket.take()).toEqual({ allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 })
  })

  test('refills continuously, not at the end of the window', () => {
    const bucket = bucketOf({ limit: 120, windowSeconds: 60 })
    bucket.takeMany(120)
    bucket.wait(10 * second)
    expect(bucket.takeMany(30)).toBe(20)
  })

  test('preserves the part of a token that has returned', () => {
    const bucket = bucketOf({ limit: 1, windowSeconds: 60 })
    expect(bucket.take()).toEqual({ allowed: true, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 })
    bucket.wait(59 * second)
    expect(bucket.take()).toEqual({ allowed: false, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 })
    bucket.wait(second)
    expect(bucket.take().allowed).toBe(true)
  })

  test('never holds more than its limit, however long it rests', () => {
    const bucket = bucketOf({ limit: 7, windowSeconds: 60 })
    bucket.take()
    bucket.wait(86_400 * second)
    expect(bucket.takeMany(20)).toBe(7)
  })

  test('counts whole tokens left and whole seconds until full', () => {
    const bucket = bucketOf({ limit: 120, windowSeconds: 60 })
    expect(bucket.take()).toEqual({ allowed: true, remaining: 119, resetSeconds: 1, retryAfterSeconds: 0 })
    expect(bucket.take()).toMatchObject({ remaining: 118, resetSeconds: 1 })
    expect(bucket.take()).toMatchObject({ remaining: 117, resetSeconds: 2 })
  })

  test('is empty, and refills, when its limit falls below what was spent', () => {
    const bucket = bucketOf({ limit: 300, windowSeconds: 60 })
    bucket.takeMany(300)
    expect(bucket.take(60)).toEqual({ allowed: false, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 })
    bucket.wait(second)
    expect(bucket.take(60).allowed).toBe(true)
  })

  test('is never fuller than a lowered limit', () => {
    const bucket = bucketOf({ limit: 6000, windowSeconds: 60 })
    bucket.take()
    expect(bucket.take(10)).toMatchObject({ allowed: true, remaining: 8 })
  })

  test('loses at most one window when the clock goes back', () => {
    const bucket = bucketOf({ limit: 60, windowSeconds: 60 })
    bucket.take()
    bucket.wait(-3600 * second)
    expect(bucket.take()).toMatchObject({ allowed: false, resetSeconds: 60, retryAfterSeconds: 1 })
  })

  test.each([0, -1, 1.5, Number.NaN, 60_000_001])('rejects a limit of %d', (limit) => {
    expect(() => bucketPace({ limit, windowSeconds: 60 })).toThrow(RangeError)
  })
})

describe('two buckets', () => {
  const key = bucketPace({ limit: 2, windowSeconds: 60 })
  const tenant = bucketPace({ limit: 5, windowSeconds: 60 })

  test.each([
    ['the first', start + key.span, start],
    ['the second', start, start + tenant.span],
    ['both', start + key.span, start + tenant.span],
  ])('give nothing when %s is empty', (_, keyFullAt, tenantFullAt) => {
    const before = [
      { ...key, fullAt: keyFullAt },
      { ...tenant, fullAt: tenantFullAt },
    ]
    expect(takeFromAll(before, start)).toEqual({ allowed: false, buckets: before })
  })

  test('give a token each when both have one', () => {
    const taken = takeFromAll(
      [key, tenant].map((pace) => ({ ...pace, fullAt: 0 })),
      start,
    )
    expect(taken.allowed).toBe(true)
    expect(taken.buckets.map(({ fullAt }) => fullAt - start)).toEqual([key.token, tenant.token])
  })
})

const anyBudget = fc.record({
  limit: fc.integer({ min: 1, max: 6000 }),
  windowSeconds: fc.integer({ min: 1, max: 300 }),
})

test('a token bucket allows exactly as a bucket of exact fractions does, over any schedule', () => {
  fc.assert(
    fc.property(anyBudget, fc.array(fc.nat(5 * second), { maxLength: 200 }), (budget, waits) => {
      const bucket = bucketOf(budget)
      const { token, span } = bucketPace(budget)
      let level = BigInt(span)
      for (const wait of waits) {
        bucket.wait(wait)
        level += BigInt(wait)
        if (level > span) level = BigInt(span)
        const allowed = level >= token
        if (allowed) level -= BigInt(token)
        expect(bucket.take()).toMatchObject({ allowed, remaining: Number(level / BigInt(token)) })
      }
    }),
  )
})

test('a token bucket announces exact times of the next token and of a full bucket', () => {
  fc.assert(
    fc.property(anyBudget, fc.integer({ min: 1, max: 100 }), (budget, spent) => {
      const bucket = bucketOf(budget)
      bucket.takeMany(budget.limit + spent)
      const { retryAfterSeconds, resetSeconds } = bucket.take()
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(1)
      expect(resetSeconds).toBeLessThanOrEqual(budget.windowSeconds)
      bucket.wait((retryAfterSeconds - 1) * second)
      expect(bucket.take().allowed).toBe(false)
      bucket.wait(second)
      expect(bucket.take().allowed).toBe(true)
      bucket.wait(budget.windowSeconds * second)
      expect(bucket.takeMany(budget.limit + 1)).toBe(budget.limit)
    }),
    { numRuns: numberOfCases(30) },
  )
})
