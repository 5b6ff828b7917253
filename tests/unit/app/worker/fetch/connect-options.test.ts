import { expect, test } from 'vitest'
import { connectOptions } from '../../../../../app/worker/fetch/connect-options.ts'
import { createGuard } from '../../../../../app/worker/fetch/guard.ts'

test('a connection tries every address of a receiver, each for longer than a far one takes', () => {
  const guard = createGuard([])
  const { autoSelectFamily, autoSelectFamilyAttemptTimeout, timeout } = connectOptions(
    guard,
    new URL('https://far.example/'),
    10_000,
  )
  expect([autoSelectFamily, timeout]).toEqual([true, 10_000])
  expect(autoSelectFamilyAttemptTimeout).toBeGreaterThanOrEqual(2_000)
})
