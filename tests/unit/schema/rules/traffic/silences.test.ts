import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Silence, silencesOf, type TrafficHour } from '../../../../../schema/rules/traffic/silences.ts'

const hours = (usual: number, reports: readonly number[]) => reports.map((count) => ({ reports: count, usual }))

test.each<[string, readonly TrafficHour[], Silence[]]>([
  ['two hours of 6', hours(6, [6, 0, 0, 0]), [{ start: 1, found: 2, end: undefined }]],
  ['two hours of 5', hours(5, [6, 0, 0, 0]), []],
  ['an hour that has not ended', hours(12, [6, 0]), []],
  ['reports in the hour that has not ended', hours(12, [6, 0, 1]), [{ start: 1, found: 1, end: 2 }]],
  ['under 2 % of 200', hours(200, [200, 3, 200, 200]), [{ start: 1, found: 1, end: 2 }]],
  ['2 % of 200', hours(200, [200, 4, 200, 200]), []],
  ['under 2 % of 199', hours(199, [200, 3, 200, 200]), []],
  ['a start that is unknown', hours(12, [0, 0, 12, 12]), []],
  [
    'a night without usual reports',
    [...hours(5, [5, 0]), ...hours(0, [0, 0, 0]), ...hours(7, [0, 0])],
    [{ start: 1, found: 5, end: undefined }],
  ],
])('of %s', (_, given, expected) => {
  expect(silencesOf(given)).toEqual(expected)
})

/** By each pair of a first and a last hour. */
function bruteForce(given: readonly TrafficHour[]): Silence[] {
  const isQuiet = ({ reports, usual }: TrafficHour) => reports === 0 || reports / usual < 0.02
  const sum = (some: readonly TrafficHour[], of: keyof TrafficHour) => some.reduce((total, one) => total + one[of], 0)
  const complete = given.slice(0, -1)
  return complete.flatMap((_, start) => {
    if (start === 0 || isQuiet(given[start - 1] as TrafficHour)) return []
    const found = complete.findIndex((_, last) => {
      const run = given.slice(start, last + 1)
      const isRun = last >= start && run.every(isQuiet)
      const [reports, usual] = [sum(run, 'reports'), sum(run, 'usual')]
      return isRun && ((reports === 0 && usual >= 12) || (reports < 0.02 * usual && usual >= 200))
    })
    if (found < 0) return []
    const end = given.findIndex((hour, index) => index > found && !isQuiet(hour))
    return [{ start, found, end: end < 0 ? undefined : end }]
  })
}

test('random hours have the silences of a search through all runs', () => {
  const hour = fc.record({
    reports: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 400 })),
    usual: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 400 })),
  })
  fc.assert(
    fc.property(fc.array(hour, { minLength: 1, maxLength: 40 }), (given) => {
      expect(silencesOf(given)).toEqual(bruteForce(given))
    }),
    { numRuns: 5_000 },
  )
})
