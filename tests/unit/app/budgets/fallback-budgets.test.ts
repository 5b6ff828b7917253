import { expect, test, vi } from 'vitest'
import { type BudgetCharge, type BudgetStore, BudgetUnavailableError } from '../../../../app/budgets/budget-store.ts'
import { createFallbackBudgets } from '../../../../app/budgets/fallback-budgets.ts'

const charge: BudgetCharge = { name: 'site', tenantId: 't', ownerId: 's', limit: 2, windowSeconds: 60 }

test('while the shared budgets do not respond, one take a second tries them, and all count in this process', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let isDown = true
  let tries = 0
  const shared: BudgetStore = {
    async take() {
      tries++
      if (isDown) throw new BudgetUnavailableError(new Error('no response'))
      return { allowed: true, retryAfterSeconds: 0, buckets: [] }
    },
    ready: async () => !isDown,
    close: async () => {},
  }
  try {
    const budgets = createFallbackBudgets(shared)
    const allowed = async () => (await budgets.take([charge])).allowed
    expect([await allowed(), await allowed(), await allowed()]).toEqual([true, true, false])
    expect(tries).toBe(1)
    vi.advanceTimersByTime(1_100)
    expect(await allowed()).toBe(false)
    expect(tries).toBe(2)
    isDown = false
    expect(await budgets.ready()).toBe(true)
    vi.advanceTimersByTime(1_100)
    expect([await allowed(), await allowed(), tries]).toEqual([true, true, 4])
  } finally {
    vi.useRealTimers()
  }
})
