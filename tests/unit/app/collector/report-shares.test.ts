import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReportShares } from '../../../../app/collector/report-shares.ts'
import { seeded } from '../../../../fixtures/seeded.ts'
import { numberOfCases } from '../../../support/number-of-cases.ts'

const minuteMs = 60_000

/** Sends reports of each type at a steady rate, and returns the number stored and the sum of their weights. */
function send(perMinute: Readonly<Record<string, number>>, budget: number, minutes: number, seed: number) {
  let at = 0
  const shares = createReportShares(() => at)
  const { next } = seeded(seed)
  const arrivals = Object.entries(perMinute).flatMap(([type, rate]) =>
    Array.from({ length: rate * minutes }, (_, index) => ({ type, time: ((index + next()) * minuteMs) / rate })),
  )
  const stored: Record<string, number> = {}
  const estimated: Record<string, number> = {}
  for (const { type, time } of arrivals.sort((a, b) => a.time - b.time)) {
    at = time
    const share = shares.take('site', type, budget, 1)
    if (next() >= share) continue
    stored[type] = (stored[type] ?? 0) + 1
    estimated[type] = (estimated[type] ?? 0) + 1 / share
  }
  return { stored, estimated }
}

test('all reports within the budget are stored', () => {
  const rates = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 100 }), { minKeys: 1 })
  fc.assert(
    fc.property(rates, (perMinute) => {
      const budget = 2 * Object.values(perMinute).reduce((sum, rate) => sum + rate, 0)
      const all = Object.fromEntries(Object.entries(perMinute).map(([type, rate]) => [type, rate * 5]))
      expect(send(perMinute, budget, 5, 1).stored).toEqual(all)
    }),
    { numRuns: numberOfCases(50) },
  )
})

test.each([1, 2, 3, 4])('above the budget a share is stored, whose weights add up to all (seed %d)', (seed) => {
  const { stored, estimated } = send({ flood: 100_000 }, 5_000, 5, seed)
  // Until the load is known, more are stored: 5,000 times 1 + ln 20.
  expect(stored.flood).toBeGreaterThan(5 * 5_000)
  expect(stored.flood).toBeLessThan(1.09 * 5_000 * (5 + 1 + Math.log(20)))
  expect(estimated.flood).toBeGreaterThan(0.97 * 500_000)
  expect(estimated.flood).toBeLessThan(1.03 * 500_000)
})

test('a burst at one moment is stored up to the budget times 1 + ln of its multiple', () => {
  const shares = createReportShares(() => 0)
  const { next } = seeded(5)
  let [stored, estimated] = [0, 0]
  for (let report = 0; report < 1_000_000; report++) {
    const share = shares.take('site', 'flood', 5_000, 1)
    if (next() >= share) continue
    stored++
    estimated += 1 / share
  }
  expect(stored).toBeLessThan(1.09 * 5_000 * (1 + Math.log(200)))
  expect(Math.abs(estimated - 1_000_000)).toBeLessThan(30_000)
})

test('a type within its share of the budget is stored whole beside a flood of another, and of another site', () => {
  const { stored } = send({ flood: 60_000, crash: 900, deprecation: 1_200 }, 6_000, 3, 1)
  expect(stored).toMatchObject({ crash: 2_700, deprecation: 3_600 })
  const shares = createReportShares(() => 0)
  for (let report = 0; report < 100; report++) shares.take('one', 'crash', 10, 1)
  expect(shares.take('other', 'crash', 10, 1)).toBe(1)
})

test('a minute after a flood a site has its whole budget again, but for what it left', () => {
  let at = 0
  const shares = createReportShares(() => at)
  for (let report = 0; report < 10_000; report++) shares.take('site', 'crash', 1_000, 1)
  expect(shares.take('site', 'crash', 1_000, 1)).toBeLessThan(0.11)
  at = 3 * minuteMs
  expect(shares.take('site', 'crash', 1_000, 1)).toBe(1)
})
