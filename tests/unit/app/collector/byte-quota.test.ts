import { expect, test } from 'vitest'
import { createByteQuota } from '../../../../app/collector/byte-quota.ts'

test('a site is refused beyond a quarter of the bytes, others until all are taken', () => {
  const quota = createByteQuota(100)
  quota.add('a', 25)
  expect(quota.isFull('a')).toBe(false)
  quota.add('a', 1)
  expect([quota.isFull('a'), quota.isFull('b')]).toEqual([true, false])
  for (const site of ['b', 'c', 'd']) quota.add(site, 25)
  expect([quota.isFull('b'), quota.isFull('e'), quota.total()]).toEqual([true, true, 101])
  quota.release('a', 26)
  expect([quota.isFull('a'), quota.isFull('e'), quota.total()]).toEqual([false, false, 75])
})
