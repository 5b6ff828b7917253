import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBlockPace } from '../../../../app/import/block-pace.ts'

const limits = { gatherMs: 400, longestGatherMs: 5_000 }

test('after a quiet time thirteen blocks are due 0.4 s after their first report, and then each after a pause of 35 times the last', () => {
  const pace = createBlockPace(limits)
  const due: number[] = []
  for (let openedAt = 100_000; due.length < 17; ) {
    const at = pace.dueAt(openedAt)
    due.push(at - openedAt)
    pace.rest(at, at + 200)
    openedAt = at + 200
  }
  expect(new Set(due.slice(0, 13))).toEqual(new Set([400]))
  expect(due.slice(15)).toEqual([5_000, 5_000])
})

test('posts that are further apart than a block and its pause never wait for it', () => {
  const pace = createBlockPace(limits)
  for (let openedAt = 10_000; openedAt < 310_000; openedAt += 6_000) {
    const due = pace.dueAt(openedAt)
    expect(due).toBe(openedAt + 400)
    pace.rest(due, due + 1_000)
  }
})

test('whatever arrives, blocks rest 35 times their duration or 5 s on average, but for a minute, and a wait is 0.4 to 5 s', () => {
  const gap = fc.integer({ min: 0, max: 20_000 })
  fc.assert(
    fc.property(fc.array(gap, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 300 }), (gaps, tookMs) => {
      const pace = createBlockPace(limits)
      let now = 1_000_000
      const starts: number[] = []
      for (const gapMs of gaps) {
        const openedAt = now + gapMs
        const due = pace.dueAt(openedAt)
        expect(due - openedAt).toBeGreaterThanOrEqual(limits.gatherMs)
        expect(due - openedAt).toBeLessThanOrEqual(limits.longestGatherMs)
        starts.push(due)
        now = due + tookMs
        pace.rest(due, now)
      }
      const pauseMs = tookMs + Math.min(35 * tookMs, limits.longestGatherMs)
      const [first = 0, last = 0] = [starts[0], starts.at(-1)]
      const rested = (starts.length - 1) * pauseMs
      expect(last - first).toBeGreaterThanOrEqual(Math.min(rested - 12 * limits.longestGatherMs, rested))
    }),
  )
})
