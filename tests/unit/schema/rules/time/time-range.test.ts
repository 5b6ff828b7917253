import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../../../../schema/durations.ts'
import { splitByGrain } from '../../../../../schema/rules/time/time-range.ts'

describe('splitting a window by grain', () => {
  test('a window splits into whole days, the hours beside them, and the edges', () => {
    const window = { from: dayMs - 2 * hourMs - 5, to: 3 * dayMs + hourMs + 7 }
    expect(splitByGrain([window], [dayMs, hourMs, 1])).toEqual([
      { grain: dayMs, ranges: [{ from: dayMs, to: 3 * dayMs }] },
      {
        grain: hourMs,
        ranges: [
          { from: dayMs - 2 * hourMs, to: dayMs },
          { from: 3 * dayMs, to: 3 * dayMs + hourMs },
        ],
      },
      {
        grain: 1,
        ranges: [
          { from: dayMs - 2 * hourMs - 5, to: dayMs - 2 * hourMs },
          { from: 3 * dayMs + hourMs, to: 3 * dayMs + hourMs + 7 },
        ],
      },
    ])
  })

  test('a window inside one bucket belongs to the finest grain', () => {
    expect(splitByGrain([{ from: 10, to: 20 }], [hourMs, 1])).toEqual([{ grain: 1, ranges: [{ from: 10, to: 20 }] }])
  })

  test('an empty window has no ranges', () => {
    expect(splitByGrain([{ from: 5, to: 5 }], [hourMs, 1])).toEqual([])
  })

  test('every millisecond is in exactly one aligned range', () => {
    const bounds = fc.tuple(fc.nat(10 * dayMs), fc.nat(10 * dayMs)).filter(([a, b]) => a !== b)
    fc.assert(
      fc.property(bounds, ([a, b]) => {
        const window = { from: Math.min(a, b), to: Math.max(a, b) }
        const ranges = splitByGrain([window], [dayMs, hourMs, minuteMs, 1]).flatMap(({ grain, ranges }) =>
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

  test('two windows are split at their common bound', () => {
    const split = splitByGrain(
      [
        { from: 0, to: hourMs + 1 },
        { from: hourMs + 1, to: 2 * hourMs + 2 },
      ],
      [hourMs, 1],
    )
    expect(split).toEqual([
      { grain: hourMs, ranges: [{ from: 0, to: hourMs }] },
      {
        grain: 1,
        ranges: [
          { from: hourMs, to: hourMs + 1 },
          { from: hourMs + 1, to: 2 * hourMs + 2 },
        ],
      },
    ])
  })
})
