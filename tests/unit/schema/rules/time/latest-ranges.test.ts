import { describe, expect, test } from 'vitest'
import { latestRanges } from '../../../../../schema/rules/time/latest-ranges.ts'

/** Three days, the latest first. */
const days = [
  { from: 31, to: 40, reportCount: 5 },
  { from: 20, to: 21, reportCount: 1 },
  { from: 2, to: 9, reportCount: 100 },
]
const [third, second, first] = days.map(({ from, to }) => ({ from, to }))

describe('the latest ranges', () => {
  test('the latest ranges cover the latest days with enough reports', () => {
    expect(latestRanges(days, 5)).toEqual({ latest: [third], earlier: [{ from: 2, to: 21 }] })
    expect(latestRanges(days, 6)).toEqual({ latest: [third, second], earlier: [first] })
    expect(latestRanges(days, 7)).toEqual({ latest: [third, second, first], earlier: [] })
    expect(latestRanges(days, 1_000)).toEqual({ latest: [third, second, first], earlier: [] })
  })

  test('the latest ranges leave out days after the moment', () => {
    expect(latestRanges(days, 1, 30)).toEqual({ latest: [second], earlier: [first] })
    expect(latestRanges(days, 1, 1)).toEqual({ latest: [], earlier: [] })
  })

  test('the latest ranges count no reports of the day that the moment divides', () => {
    expect(latestRanges(days, 1, 35)).toEqual({ latest: [third, second], earlier: [first] })
    expect(latestRanges(days, 1, 39)).toEqual({ latest: [third, second], earlier: [first] })
    expect(latestRanges(days, 1, 40)).toEqual({ latest: [third], earlier: [{ from: 2, to: 21 }] })
    expect(latestRanges(days, 1, 2)).toEqual({ latest: [first], earlier: [] })
  })

  test('no days have no ranges', () => {
    expect(latestRanges([], 5)).toEqual({ latest: [], earlier: [] })
  })
})
