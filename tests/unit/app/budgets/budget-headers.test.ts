import { expect, test } from 'vitest'
import { budgetHeaders } from '../../../../app/budgets/budget-headers.ts'
import type { BudgetState } from '../../../../app/budgets/budget-store.ts'

const key: BudgetState = {
  name: 'key',
  limit: 120,
  windowSeconds: 60,
  remaining: 99,
  resetSeconds: 11,
  retryAfterSeconds: 0,
}
const tenant: BudgetState = { ...key, name: 'tenant', limit: 240, remaining: 180, resetSeconds: 15 }

test('budget headers report the budget nearest to empty, and both in the newer fields', () => {
  expect(budgetHeaders({ allowed: true, buckets: [key, tenant] })).toEqual({
    'RateLimit-Limit': '120',
    'RateLimit-Remaining': '99',
    'RateLimit-Reset': '11',
    'RateLimit-Policy': '"key";q=120;w=60, "tenant";q=240;w=60',
    RateLimit: '"key";r=99;t=11, "tenant";r=180;t=15',
  })
})

test('budget headers report the tenant when its other keys have spent more', () => {
  const headers = budgetHeaders({ allowed: true, buckets: [key, { ...tenant, remaining: 98 }] })
  expect(headers).toMatchObject({ 'RateLimit-Limit': '240', 'RateLimit-Remaining': '98', 'RateLimit-Reset': '15' })
})

test('budget headers report the budget charged first when both have equal tokens', () => {
  const headers = budgetHeaders({ allowed: true, buckets: [key, { ...tenant, remaining: 99 }] })
  expect(headers).toMatchObject({ 'RateLimit-Limit': '120' })
})

test('budget headers report only the key when only the key is charged', () => {
  expect(budgetHeaders({ allowed: true, buckets: [key] })).toMatchObject({
    'RateLimit-Policy': '"key";q=120;w=60',
    RateLimit: '"key";r=99;t=11',
  })
})

test.each([true, false])(
  'budget headers give the time until a token where nothing remains, as Retry-After does (allowed: %s)',
  (allowed) => {
    const empty = { ...key, limit: 5, remaining: 0, resetSeconds: 60, retryAfterSeconds: 12 }
    expect(budgetHeaders({ allowed, buckets: [empty, tenant] })).toMatchObject({
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '12',
      RateLimit: '"key";r=0;t=12, "tenant";r=180;t=15',
    })
  },
)

test('budget headers of a 429 give the time until each spent budget has a token', () => {
  const emptyKey = { ...key, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 }
  const emptyTenant = { ...tenant, remaining: 0, resetSeconds: 60, retryAfterSeconds: 3 }
  expect(budgetHeaders({ allowed: false, buckets: [emptyKey, emptyTenant] })).toMatchObject({
    'RateLimit-Limit': '240',
    'RateLimit-Reset': '3',
    RateLimit: '"key";r=0;t=1, "tenant";r=0;t=3',
  })
  expect(budgetHeaders({ allowed: false, buckets: [emptyKey, tenant] })).toEqual({
    'RateLimit-Limit': '120',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '1',
    'RateLimit-Policy': '"key";q=120;w=60, "tenant";q=240;w=60',
    RateLimit: '"key";r=0;t=1, "tenant";r=180;t=15',
  })
})

test('budget headers are empty when nothing was charged', () => {
  expect(budgetHeaders({ allowed: true, buckets: [] })).toEqual({})
})
