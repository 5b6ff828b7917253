import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../../../../../schema/durations.ts'
import { scanDueAt } from '../../../../../schema/rules/scans/scan-due-at.ts'

const lastScanAt = '2026-01-31T12:00:00.000Z'
const first = '00000000-0000-4000-8000-000000000000'
const last = '00000000-0000-4000-8000-0000ffffffff'

const delayOf = (id: string, failures: number, intervalMs = dayMs) =>
  scanDueAt({ id, lastScanAt, failures }, intervalMs) - Date.parse(lastScanAt)

test('a page that was never scanned is due', () => {
  expect(scanDueAt({ id: last, lastScanAt: null, failures: 0 }, dayMs)).toBe(0)
})

test('a page is due an interval after its last scan, or earlier by up to a 24th', () => {
  expect(delayOf(first, 0)).toBe(dayMs)
  expect(delayOf(last, 0)).toBe(23 * hourMs + 1)
  expect(delayOf(first, 0, 7 * dayMs)).toBe(7 * dayMs)
})

test('a page that failed is due after an hour, three times, and then after a day', () => {
  expect([1, 2, 3, 4, 40].map((failures) => delayOf(first, failures))).toEqual([hourMs, hourMs, hourMs, dayMs, dayMs])
})

test('a failure never delays a page beyond its interval, nor a shorter interval', () => {
  const pages = fc.record({ id: fc.uuid(), failures: fc.nat(10), intervalMs: fc.integer({ min: 1, max: 7 * dayMs }) })
  fc.assert(
    fc.property(pages, ({ id, failures, intervalMs }) => {
      expect(delayOf(id, failures, intervalMs)).toBeLessThanOrEqual(intervalMs)
      expect(delayOf(id, failures, intervalMs)).toBeGreaterThan((Math.min(intervalMs, hourMs) * 23) / 24 - 1)
    }),
  )
})
