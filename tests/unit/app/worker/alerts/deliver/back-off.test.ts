import { expect, test } from 'vitest'
import { maxAttempts, nextAttemptAt } from '../../../../../../app/worker/alerts/deliver/back-off.ts'
import { dayMs, hourMs } from '../../../../../../schema/durations.ts'

const start = new Date('2026-11-01T00:00:00.000Z')
const retryAt = new Date(0)
const after = (count: number, deliveryId = 'a') =>
  nextAttemptAt({ deliveryId, count, lastAt: start, retryAt }) - start.getTime()

test('the first attempt is due at once', () => {
  expect(nextAttemptAt({ deliveryId: 'a', count: 0, lastAt: undefined, retryAt: undefined })).toBe(0)
})

test('pauses grow from seconds to hours, and ten attempts end within the day of Rule 68', () => {
  const pauses = Array.from({ length: maxAttempts - 1 }, (_, index) => after(index + 1))
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(pauses[0]).toBeLessThanOrEqual(6_000)
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(6.4 * hourMs)
  expect(maxAttempts).toBe(10)
  expect(pauses.reduce((sum, pause) => sum + pause, 0) * 1.2).toBeLessThan(dayMs)
})

test('a pause is a fifth longer or shorter, by the delivery, and always the same', () => {
  const pauses = Array.from({ length: 100 }, (_, index) => after(5, `delivery ${index}`) / (30 * 60_000))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0.8)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(1.2)
  expect(new Set(pauses).size).toBeGreaterThan(90)
  expect(after(5)).toBe(after(5))
})

test('a receiver that asks for more time gets it', () => {
  const later = new Date(start.getTime() + hourMs)
  expect(nextAttemptAt({ deliveryId: 'a', count: 1, lastAt: start, retryAt: later })).toBe(later.getTime())
})
