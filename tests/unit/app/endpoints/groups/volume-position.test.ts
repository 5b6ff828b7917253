import { expect, test } from 'vitest'
import { volumePosition } from '../../../../../app/endpoints/groups/volume-position.ts'

const largest = 2n ** 64n - 1n

test.each([0n, 1n, largest])('the volume position of %d survives a cursor', (value) => {
  const position = volumePosition.from({ weight: value, key: value })
  expect(volumePosition.schema.parse(JSON.parse(JSON.stringify(position)))).toEqual(position)
})

test.each(['', '-1', '+1', ' 1', '1.5', '1e3', '0x1', 'one', String(largest + 1n), '9'.repeat(21), 1, null])(
  'refuses %j, which is no column of the store',
  (value) => {
    expect(volumePosition.schema.safeParse({ weight: value, key: '1' }).success).toBe(false)
    expect(volumePosition.schema.safeParse({ weight: '1', key: value }).success).toBe(false)
  },
)
