import { expect, test } from 'vitest'
import { mergeIntervals } from '../../../../../schema/rules/time/merge-intervals.ts'

const intervals = (...pairs: [string, string][]) => pairs.map(([from, to]) => ({ from, to }))

test.each([
  ['none', intervals(), intervals()],
  ['apart', intervals(['1', '2'], ['3', '4']), intervals(['1', '2'], ['3', '4'])],
  ['that meet', intervals(['1', '2'], ['2', '4']), intervals(['1', '4'])],
  ['within another', intervals(['1', '5'], ['2', '3'], ['4', '6']), intervals(['1', '6'])],
])('intervals %s', (_, given, merged) => {
  expect(mergeIntervals(given)).toEqual(merged)
})
