import type { BudgetStore } from './budget-store.ts'
import { BudgetUnavailableError } from './budget-store.ts'
import { createMemoryBudgets } from './memory-budgets.ts'

/** Pause between two attempts while the shared budgets do not respond. */
const retryMs = 1_000

/** This process's own budgets while the shared ones do not respond, which costs one request a second their timeout. */
export function createFallbackBudgets(shared: BudgetStore): BudgetStore {
  const own = createMemoryBudgets()
  let failedAt = -Infinity
  return {
    ...shared,
    async take(charges) {
      if (performance.now() - failedAt < retryMs) return own.take(charges)
      // Other requests do not wait for the first.
      if (failedAt !== -Infinity) failedAt = performance.now()
      try {
        const outcome = await shared.take(charges)
        failedAt = -Infinity
        return outcome
      } catch (error) {
        if (!(error instanceof BudgetUnavailableError)) throw error
        failedAt = performance.now()
        return own.take(charges)
      }
    },
  }
}
