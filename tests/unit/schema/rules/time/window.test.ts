import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs } from '../../../../../schema/durations.ts'
import { retentionStart } from '../../../../../schema/plans.ts'
import { earlierWindow, frozenWindow, windowOf } from '../../../../../schema/rules/time/window.ts'

const policy = { defaultDays: 7, maxDays: 31 }
const now = new Date('2026-11-21T12:34:56.789Z')
const retention = retentionStart(30, now)
const at = (text: string) => new Date(text)
const anyNow = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) }).map((time) => new Date(time))

describe('the window of a request', () => {
  test('the default window is the default days up to the next whole 10 s', () => {
    const to = Date.parse('2026-11-21T12:35:00Z')
    expect(windowOf(policy, {}, now, retention)).toEqual({ from: to - 7 * dayMs, to })
  })

  test('a window that ends now has a report of this millisecond, and ends within 10 s', () => {
    const days = fc.integer({ min: 0, max: 30 * dayMs })
    fc.assert(
      fc.property(anyNow, fc.option(days, { nil: undefined }), (now, back) => {
        const from = back === undefined ? undefined : new Date(now.getTime() - back)
        const { to } = windowOf(policy, { from }, now, retentionStart(365, now))
        expect(to).toBeGreaterThan(now.getTime())
        expect(to - now.getTime()).toBeLessThanOrEqual(10_000)
      }),
    )
  })

  test('a window with a named end is that window, whenever it is read', () => {
    fc.assert(
      fc.property(anyNow, fc.integer({ min: 1, max: 31 * dayMs }), fc.nat(dayMs), (now, length, back) => {
        const to = new Date(now.getTime() - back)
        const from = new Date(to.getTime() - length)
        const named = windowOf(policy, { from, to }, now, retentionStart(365, now))
        expect(named).toEqual({ from: from.getTime(), to: to.getTime() })
        const byDefault = windowOf(policy, { to }, now, retentionStart(365, now))
        expect(byDefault).toEqual({ from: to.getTime() - 7 * dayMs, to: to.getTime() })
      }),
    )
  })

  test('a from that now is in reach of is not rejected for the rounding', () => {
    fc.assert(
      fc.property(anyNow, fc.integer({ min: 0, max: 20_000 }), (now, margin) => {
        const from = new Date(now.getTime() - 31 * dayMs + margin)
        const { to } = windowOf(policy, { from }, now, retentionStart(365, now))
        expect(to).toBeGreaterThanOrEqual(now.getTime())
        expect(to - from.getTime()).toBeLessThanOrEqual(31 * dayMs)
        const before = new Date(now.getTime() - 31 * dayMs - 1)
        expect(() => windowOf(policy, { from: before }, now, retentionStart(365, now))).toThrow('31 days')
      }),
    )
  })

  test('retention begins at the start of a UTC day', () => {
    expect(retention.toISOString()).toBe('2026-10-22T00:00:00.000Z')
  })

  test('a default from is clamped to retention', () => {
    const short = retentionStart(3, now)
    expect(windowOf(policy, {}, now, short).from).toBe(short.getTime())
  })

  test('a from at the start of retention is valid, one before it is rejected', () => {
    expect(windowOf(policy, { from: retention }, now, retention).from).toBe(retention.getTime())
    const before = new Date(retention.getTime() - 1)
    expect(() => windowOf(policy, { from: before }, now, retention)).toThrow(
      'from must not be before the start of retention',
    )
  })

  test('the longest window is valid, one a millisecond longer is rejected', () => {
    const long = retentionStart(90, now)
    const to = at('2026-11-01T00:00:00Z')
    const from = new Date(to.getTime() - 31 * dayMs)
    expect(windowOf(policy, { from, to }, now, long)).toEqual({
      from: from.getTime(),
      to: to.getTime(),
    })
    const earlier = new Date(from.getTime() - 1)
    expect(() => windowOf(policy, { from: earlier, to }, now, long)).toThrow('31 days')
  })

  test.each([
    ['from must be before to', at('2026-11-02T00:00:00Z'), at('2026-11-02T00:00:00Z')],
    ['from must be before to', at('2026-11-03T00:00:00Z'), at('2026-11-02T00:00:00Z')],
    ['from must be before to', at('2026-11-22T00:00:00Z'), undefined],
    ['to must be after the start of retention', undefined, at('2026-10-01T00:00:00Z')],
  ])('an empty window is rejected: %s', (reason, from, to) => {
    expect(() => windowOf(policy, { from, to }, now, retention)).toThrow(new RegExp(`^${reason}: `))
  })
})

describe('the window before a window', () => {
  const to = retention.getTime() + 2 * dayMs

  test('the window before has the same length, and can begin with retention', () => {
    const from = retention.getTime() + dayMs
    expect(earlierWindow({ from, to }, retention)).toEqual({ from: retention.getTime(), to: from })
  })

  test('a window has none before it where that would begin before retention', () => {
    expect(earlierWindow({ from: retention.getTime() + dayMs - 1, to: to - 1 }, retention)).toBeUndefined()
  })
})

describe('the frozen window of a cursor', () => {
  test('a frozen window is cut to what retention still reaches', () => {
    const to = retention.getTime() + dayMs
    expect(frozenWindow(policy, { from: retention.getTime() - dayMs, to }, retention)).toEqual({
      from: retention.getTime(),
      to,
    })
  })

  test('a frozen window is empty once it has expired', () => {
    const gone = {
      from: retention.getTime() - 2 * dayMs,
      to: retention.getTime() - dayMs,
    }
    expect(frozenWindow(policy, gone, retention)).toEqual({
      from: retention.getTime(),
      to: retention.getTime(),
    })
  })

  test.each([[{ from: 10, to: 10 }], [{ from: 0, to: 31 * dayMs + 1 }]])('a frozen window cannot be %j', (frozen) => {
    expect(frozenWindow(policy, frozen, retention)).toBeUndefined()
  })
})
