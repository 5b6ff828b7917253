import { expect, test } from 'vitest'
import { confidence } from '../../../../schema/rules/confidence.ts'

test.each([
  [10, 0, 2, 'high'],
  [400, 399, 5, 'high'],
  [9, 0, 2, 'medium'],
  [10, 0, 1, 'medium'],
  [10, 0, 0, 'medium'],
  [9, 0, 1, 'low'],
  [1, 0, 0, 'low'],
  [1, 1, 1, 'suppressed'],
  [400, 400, 5, 'suppressed'],
])(
  'an issue with %d reports, %d of them noise, from %d families has confidence %s',
  (reportCount, noiseCount, browserFamilyCount, expected) => {
    expect(confidence({ reportCount, noiseCount, browserFamilyCount })).toBe(expected)
  },
)
