import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../../../../schema/durations.ts'
import { bucketSizeNames, bucketSizes } from '../../../../../schema/enumerations.ts'
import { type Buckets, bucketOfSlot, bucketsOf } from '../../../../../schema/rules/time/buckets.ts'
import { zoneOffsets } from '../../../../../schema/rules/time/zone-offsets.ts'
import { clockOf } from '../../../../oracles/clock-oracle.ts'

const texts = ({ starts, end }: Buckets) => [...starts, end].map((time) => new Date(time).toISOString().slice(0, 16))
const hours = ({ starts, end }: Buckets) => starts.map((start, index) => ((starts[index + 1] ?? end) - start) / hourMs)

const days = (timeZone: string, from: number, to = from + 3 * dayMs) => bucketsOf({ from, to }, '1d', timeZone)

describe('days of a time zone', () => {
  test('Berlin has a day of 23 hours in March and one of 25 in October', () => {
    const spring = days('Europe/Berlin', Date.UTC(2026, 2, 27, 23), Date.UTC(2026, 2, 30, 22))
    expect(texts(spring)).toEqual(['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'])
    expect(hours(spring)).toEqual([24, 23, 24])
    const autumn = days('Europe/Berlin', Date.UTC(2026, 9, 23, 22), Date.UTC(2026, 9, 26, 23))
    expect(hours(autumn)).toEqual([24, 25, 24])
    expect(autumn).toMatchObject({ slot: hourMs, grain: hourMs, ranges: [{ from: autumn.starts[0], to: autumn.end }] })
  })

  test('Lord Howe has days of half an hour less and more', () => {
    expect(hours(days('Australia/Lord_Howe', Date.UTC(2026, 3, 3, 13), Date.UTC(2026, 3, 6, 13, 30)))).toEqual([
      24, 24.5, 24,
    ])
    expect(hours(days('Australia/Lord_Howe', Date.UTC(2026, 9, 2, 13, 30), Date.UTC(2026, 9, 5, 13)))).toEqual([
      24, 23.5, 24,
    ])
  })

  test('days of Kolkata begin at half an hour, so that rollups of hours serve a range for each day', () => {
    const window = { from: Date.UTC(2026, 5, 1, 7), to: Date.UTC(2026, 5, 3, 7) }
    expect(bucketsOf(window, '1d', 'Asia/Kolkata')).toEqual({
      starts: [Date.UTC(2026, 4, 31, 18, 30), Date.UTC(2026, 5, 1, 18, 30), Date.UTC(2026, 5, 2, 18, 30)],
      end: Date.UTC(2026, 5, 3, 18, 30),
      slot: 30 * minuteMs,
      grain: hourMs,
      ranges: [
        { from: window.from, to: Date.UTC(2026, 5, 1, 18, 30) },
        { from: Date.UTC(2026, 5, 1, 18, 30), to: Date.UTC(2026, 5, 2, 18, 30) },
        { from: Date.UTC(2026, 5, 2, 18, 30), to: window.to },
      ],
    })
  })

  test('a day whose midnight is skipped begins with the change, and a repeated midnight begins no second day', () => {
    expect(texts(days('Africa/Cairo', Date.UTC(2026, 3, 22, 22), Date.UTC(2026, 3, 24, 21)))).toEqual([
      '2026-04-22T22:00',
      '2026-04-23T22:00',
      '2026-04-24T21:00',
    ])
    expect(hours(days('America/Havana', Date.UTC(2026, 9, 31, 4), Date.UTC(2026, 10, 2, 5)))).toEqual([24, 25])
  })
})

describe('hours of a time zone', () => {
  test('an hour is longer where the clock skips or repeats half of one', () => {
    const autumn = { from: Date.UTC(2026, 3, 4, 13), to: Date.UTC(2026, 3, 4, 17, 30) }
    expect(hours(bucketsOf(autumn, '1h', 'Australia/Lord_Howe'))).toEqual([1, 1.5, 1, 1])
    const spring = { from: Date.UTC(2026, 9, 3, 13, 30), to: Date.UTC(2026, 9, 3, 18) }
    expect(hours(bucketsOf(spring, '1h', 'Australia/Lord_Howe'))).toEqual([1, 1.5, 1, 1])
  })

  test('a repeated hour is two buckets', () => {
    const change = { from: Date.UTC(2026, 9, 25, 0), to: Date.UTC(2026, 9, 25, 3) }
    expect(hours(bucketsOf(change, '1h', 'Europe/Berlin'))).toEqual([1, 1, 1])
  })
})

test.each(bucketSizeNames)('buckets of %s in UTC are multiples of their size', (size) => {
  const width = bucketSizes[size]
  const window = { from: Date.UTC(2026, 1, 27, 22, 13, 7, 5), to: Date.UTC(2026, 2, 2, 1) }
  const { starts, end, ranges } = bucketsOf(window, size)
  const first = Math.floor(window.from / width) * width
  expect(starts).toEqual(starts.map((_, index) => first + index * width))
  expect(end).toBe(Math.ceil(window.to / width) * width)
  expect(ranges).toEqual([window])
})

test('the days and hours of every zone are those that its clock shows', () => {
  const starts = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) })
  fc.assert(
    fc.property(
      fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      starts,
      fc.integer({ min: 1, max: 31 * dayMs }),
      fc.constantFrom('1d' as const, '1h' as const),
      (timeZone, from, length, size) => {
        const window = { from, to: from + length }
        const expected = clockOf(timeZone, { from: from - 2 * dayMs, to: window.to + 2 * dayMs })[size]
        const buckets = bucketsOf(window, size, timeZone)
        const first = expected.findLastIndex((time) => time <= from)
        expect([...buckets.starts, buckets.end]).toEqual(
          expected.slice(first, expected.findIndex((time) => time >= window.to) + 1),
        )
      },
    ),
    { numRuns: 150 },
  )
})

test('every zone is whole quarters of an hour from UTC, so that shorter buckets are those of UTC', () => {
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const offsets = zoneOffsets(timeZone, { from: Date.UTC(2025, 0), to: Date.UTC(2025, 0, 2) })
    expect([timeZone, ...offsets.map(({ offset }) => Math.abs(offset % (15 * minuteMs)))]).toEqual([timeZone, 0])
  }
})

test('a slot is in the bucket that has its time', () => {
  const buckets = days('Asia/Kolkata', Date.UTC(2026, 5, 1, 7))
  const indexOf = bucketOfSlot(buckets)
  const slotAt = (time: number) => Math.floor(time / buckets.slot)
  for (const [index, start] of buckets.starts.entries()) {
    expect([start, start + hourMs, (buckets.starts[index + 1] ?? buckets.end) - 1].map(slotAt).map(indexOf)).toEqual([
      index,
      index,
      index,
    ])
  }
  expect(indexOf(slotAt((buckets.starts[0] ?? 0) - 1))).toBeUndefined()
  expect(indexOf(slotAt(buckets.end))).toBeUndefined()
})
