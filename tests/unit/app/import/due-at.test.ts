import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dueAt } from '../../../../app/import/due-at.ts'

const limits = { gatherMs: 400, longestGatherMs: 5_000 }
const at = (openedAt: number, startedAt: number, endedAt: number) => dueAt(openedAt, { startedAt, endedAt }, limits)

test('a block is due 0.4 s after its first report if the last one ended over five seconds ago, however long that took', () => {
  expect(at(10_000, 0, 100)).toBe(10_400)
  expect(at(10_000, 0, 5_000)).toBe(10_400)
  expect(at(10_000, 0, 9_000)).toBe(14_000)
})

test('a block is due after a pause of 35 times the last one, and within 5 s of its first report and of the end of the last', () => {
  expect(at(200, 0, 100)).toBe(3_600)
  const times = fc.integer({ min: 0, max: 60_000 })
  fc.assert(
    fc.property(times, times, times, (openedAt, startedAt, tookMs) => {
      const endedAt = startedAt + tookMs
      const due = at(openedAt, startedAt, endedAt)
      expect(due).toBeGreaterThanOrEqual(openedAt + limits.gatherMs)
      expect(due).toBeLessThanOrEqual(openedAt + limits.longestGatherMs)
      expect(due).toBeLessThanOrEqual(Math.max(openedAt + limits.gatherMs, endedAt + limits.longestGatherMs))
    }),
  )
})
