import type { BudgetStore } from '../../app/budgets/budget-store.ts'
import { createMemoryBudgets } from '../../app/budgets/memory-budgets.ts'

/** Budgets in memory that count the requests whose key was found. */
export function createCountedBudgets(): BudgetStore & { requests(): number } {
  const budgets = createMemoryBudgets()
  let requests = 0
  return {
    ...budgets,
    take(charges) {
      requests++
      return budgets.take(charges)
    },
    requests: () => requests,
  }
}
