import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitByGrain } from '../../../../queries/rollups/time-range.ts'
import { day, hour, minute } from '../../../../schema/durations.ts'

describe('splitting a window by grain', () => {
  test('takes whole days, then the hours beside them, then the edges', () => {
    const window = { from: day - 2 * hour - 5, to: 3 * day + hour + 7 }
    expect(splitByGrain([window], [day, hour, 1])).toEqual([
      { grain: day, ranges: [{ from: day, to: 3 * day }] },
      {
        grain: hour,
        ranges: [
          { from: day - 2 * hour, to: day },
          { from: 3 * day, to: 3 * day + hour },
        ],
      },
      {
        grain: 1,
        ranges: [
          { from: day - 2 * hour - 5, to: day - 2 * hour },
          { from: 3 * day + hour, to: 3 * day + hour + 7 },
        ],
      },
    ])
  })

  test('leaves a window inside one bucket to the finest grain', () => {
    expect(splitByGrain([{ from: 10, to: 20 }], [hour, 1])).toEqual([{ grain: 1, ranges: [{ from: 10, to: 20 }] }])
  })

  test('covers nothing of an empty window', () => {
    expect(splitByGrain([{ from: 5, to: 5 }], [hour, 1])).toEqual([])
  })

  test('counts every millisecond exactly once, on aligned ranges', () => {
    const bounds = fc.tuple(fc.nat(10 * day), fc.nat(10 * day)).filter(([a, b]) => a !== b)
    fc.assert(
      fc.property(bounds, ([a, b]) => {
        const window = { from: Math.min(a, b), to: Math.max(a, b) }
        const ranges = splitByGrain([window], [day, hour, minute, 1]).flatMap(({ grain, ranges }) =>
          ranges.map((range) => ({ ...range, grain })),
        )
        for (const { from, to, grain } of ranges) expect([from % grain, to % grain, from < to]).toEqual([0, 0, true])
        const ordered = ranges.sort((x, y) => x.from - y.from)
        expect(ordered[0]?.from).toBe(window.from)
        expect(ordered.at(-1)?.to).toBe(window.to)
        ordered.slice(1).forEach((range, index) => {
          expect(range.from).toBe(ordered[index]?.to)
        })
      }),
    )
  })

  test('keeps two windows apart at their common bound', () => {
    const split = splitByGrain(
      [
        { from: 0, to: hour + 1 },
        { from: hour + 1, to: 2 * hour + 2 },
      ],
      [hour, 1],
    )
    expect(split).toEqual([
      { grain: hour, ranges: [{ from: 0, to: hour }] },
      {
        grain: 1,
        ranges: [
          { from: hour, to: hour + 1 },
          { from: hour + 1, to: 2 * hour + 2 },
        ],
      },
    ])
  })
})
