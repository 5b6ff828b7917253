import { expect, test } from 'vitest'
import { estimate } from '../../../../schema/rules/weights.ts'

test.each([
  [0n, 0],
  [1_499_999n, 1],
  [1_500_000n, 2],
  [2_000_000n, 2],
  [2n ** 53n * 1_000n + 500_000n, 9_007_199_254_741],
])('a weight of %d millionths is an estimate of %d reports', (weight, reports) => {
  expect(estimate({ weight })).toBe(reports)
})
