import { describe, expect, test } from 'vitest'
import { chooseBucketSize, toBuckets } from '../../../../queries/reports/histogram-reports.ts'
import { dayMs, hourMs, minuteMs } from '../../../../schema/durations.ts'
import { bucketSizeNames, bucketSizes } from '../../../../schema/enumerations.ts'

describe('the bucket size of a histogram', () => {
  test.each([
    [2 * hourMs, '1m'],
    [2 * hourMs + 1, '5m'],
    [12 * hourMs, '5m'],
    [12 * hourMs + 1, '15m'],
    [48 * hourMs, '15m'],
    [48 * hourMs + 1, '1h'],
    [14 * dayMs, '1h'],
    [14 * dayMs + 1, '1d'],
    [31 * dayMs, '1d'],
  ])('the default bucket of a window of %d ms is %s', (length, expected) => {
    expect(chooseBucketSize({ from: 0, to: length }, undefined)).toBe(expected)
  })

  test('a bucket is widened only where the window would need more than 10,000 buckets', () => {
    expect(chooseBucketSize({ from: 0, to: 10_000 * minuteMs }, '1m')).toBe('1m')
    expect(chooseBucketSize({ from: 0, to: 10_000 * minuteMs + 1 }, '1m')).toBe('5m')
    // 10,000 minutes off the minute's grid touch 10,001 buckets.
    expect(chooseBucketSize({ from: 1, to: 10_000 * minuteMs + 1 }, '1m')).toBe('5m')
    expect(chooseBucketSize({ from: 0, to: 31 * dayMs }, '1m')).toBe('5m')
  })
})

describe('the buckets of a histogram', () => {
  test('buckets run from the one that holds `from` up to `to`, with empty ones, and add up slices', () => {
    const counted = [
      { slots: [1, -1], counts: [2, 7] },
      { slots: [3, 1], counts: [7, 3] },
    ]
    expect(toBuckets(counted, { from: 10, to: 2 * hourMs + 1 }, '1h')).toEqual([
      { time: '1970-01-01T00:00:00.000Z', reportCount: 0 },
      { time: '1970-01-01T01:00:00.000Z', reportCount: 5 },
      { time: '1970-01-01T02:00:00.000Z', reportCount: 0 },
    ])
  })
  test.each(bucketSizeNames)('buckets of %s have RFC 3339 times', (bucketSize) => {
    const window = { from: Date.UTC(2024, 1, 28, 22, 13, 7, 5), to: Date.UTC(2024, 2, 2, 1) }
    const buckets = toBuckets([], window, bucketSize)
    const width = bucketSizes[bucketSize]
    const first = Math.floor(window.from / width) * width
    expect(buckets.length).toBe(Math.ceil((window.to - first) / width))
    expect(buckets.map(({ time }) => time)).toEqual(
      buckets.map((_, index) => new Date(first + index * width).toISOString()),
    )
  })
})
