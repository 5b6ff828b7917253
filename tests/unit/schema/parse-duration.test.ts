import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { durationPattern, parseDuration } from '../../../schema/parse-duration.ts'

test.each([
  ['1m', minuteMs],
  ['90m', 90 * minuteMs],
  ['24h', dayMs],
  ['7d', 7 * dayMs],
  ['2w', 14 * dayMs],
  ['PT90M', 90 * minuteMs],
  ['PT24H', dayMs],
  ['P3D', 3 * dayMs],
  ['P2W', 14 * dayMs],
  ['P1DT12H30M', 36.5 * hourMs],
  ['PT1H30M', 90 * minuteMs],
])('%s is %i ms', (text, duration) => {
  expect(parseDuration(text)).toBe(duration)
  expect(text).toMatch(new RegExp(durationPattern))
})

const others = ['', '7', 'd', '7D', '1.5h', '-1h', '+1h', ' 1h', '1h ', '1h30m', '1y', '1s', '1M', '٣d', '9999999d']
const noIso = [
  'P',
  'PT',
  'P1DT',
  'P1H',
  'PT1D',
  'P1W1D',
  'P1DT1W',
  'P1M',
  'P1Y',
  'PT1S',
  'PT30M1H',
  'p1d',
  'P-1D',
  'P1.5D',
]

test.each([...others, ...noIso])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
  expect(text).not.toMatch(new RegExp(durationPattern))
})

test('both notations of any whole number of a unit are the same duration', () => {
  const units = fc.constantFrom(
    ...([
      ['m', 'PT', 'M'],
      ['h', 'PT', 'H'],
      ['d', 'P', 'D'],
      ['w', 'P', 'W'],
    ] as const),
  )
  fc.assert(
    fc.property(fc.nat(999_999), units, (count, [unit, before, after]) => {
      expect(parseDuration(`${before}${count}${after}`)).toBe(parseDuration(`${count}${unit}`))
    }),
  )
})
