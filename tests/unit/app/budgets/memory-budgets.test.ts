import { expect, test } from 'vitest'
import { createMemoryBudgets } from '../../../../app/budgets/memory-budgets.ts'
import { budgetCharges } from '../../../support/budget-charges.ts'

const second = 1_000_000

const charges = (tenantId: string, keyId: string, keyLimit: number, tenantLimit: number) =>
  budgetCharges(keyLimit, tenantLimit, { tenantId, keyId })

test('memory budgets take from key and tenant or from neither', async () => {
  const budgets = createMemoryBudgets({ now: () => 0 })
  for (let spent = 0; spent < 3; spent++) await budgets.take(charges('t', 'a', 3, 4))
  expect(await budgets.take(charges('t', 'a', 3, 4))).toMatchObject({ allowed: false, buckets: [{}, { remaining: 1 }] })
  expect(await budgets.take(charges('t', 'b', 3, 4))).toMatchObject({ allowed: true, buckets: [{}, { remaining: 0 }] })
  expect(await budgets.take(charges('t', 'b', 3, 4))).toMatchObject({ allowed: false, buckets: [{ remaining: 2 }, {}] })
})

test('memory budgets separate tenants and keys', async () => {
  const budgets = createMemoryBudgets({ now: () => 0 })
  await budgets.take(charges('t', 'a', 1, 9))
  expect((await budgets.take(charges('t', 'b', 1, 9))).allowed).toBe(true)
  expect((await budgets.take(charges('u', 'a', 1, 9))).allowed).toBe(true)
  expect((await budgets.take(charges('t', 'a', 1, 9))).allowed).toBe(false)
})

test('memory budgets refill by their own clock', async () => {
  const budgets = createMemoryBudgets()
  const tenth = charges('t', 'a', 10, 10).map((charge) => ({ ...charge, windowSeconds: 1 }))
  const burst = await Promise.all(Array.from({ length: 10 }, () => budgets.take(tenth)))
  expect(burst.every(({ allowed }) => allowed)).toBe(true)
  await expect.poll(async () => (await budgets.take(tenth)).allowed).toBe(true)
})

test('memory budgets drop buckets that are full again, so that new keys need no memory', async () => {
  let now = 0
  const budgets = createMemoryBudgets({ now: () => now })
  let most = 0
  for (let key = 0; key < 19_000; key++) {
    now += 100
    await budgets.take(charges(`t${key % 5000}`, `k${key}`, 600, 2400))
    most = Math.max(most, budgets.size())
  }
  // A key's bucket is full again after 0.1 s, in which 1,000 others come.
  expect(most).toBeLessThan(4_000)
  now += 60 * second
  for (let take = 0; take < 1_000; take++) await budgets.take(charges('t', 'a', 600, 2400))
  expect(budgets.size()).toBe(2)
})

test('rejects a budget that cannot be kept', async () => {
  await expect(createMemoryBudgets().take(charges('t', 'a', 0, 1))).rejects.toThrow(RangeError)
})
