import { type BudgetStore, bucketName, budgetOutcome } from './budget-store.ts'
import { bucketPace, takeFromAll } from './token-bucket.ts'

export interface MemoryBudgets extends BudgetStore {
  /** Buckets in memory. */
  size(): number
}

/** Twice the number that one take can add, so that sweeping outruns growth. */
const sweptPerTake = 4

/** Unlike the wall clock, it never goes back. */
const monotonicMicroseconds = () => Math.floor(performance.now() * 1000)

/** Budgets of one process. Each take sweeps a few full buckets, so that no timer runs and no take pauses. */
export function createMemoryBudgets({ now = monotonicMicroseconds }: { now?: () => number } = {}): MemoryBudgets {
  const fullAtByName = new Map<string, number>()
  let cursor = fullAtByName.entries()

  function sweep(at: number): void {
    for (let swept = 0; swept < sweptPerTake; swept++) {
      const { value: entry } = cursor.next()
      if (!entry) {
        cursor = fullAtByName.entries()
        return
      }
      const [name, fullAt] = entry
      if (fullAt <= at) fullAtByName.delete(name)
    }
  }

  return {
    async take(charges) {
      const at = now()
      sweep(at)
      const stored = charges.map((charge) => {
        const name = bucketName(charge)
        return { ...bucketPace(charge), tokens: charge.tokens, name, fullAt: fullAtByName.get(name) ?? 0 }
      })
      const { allowed, buckets } = takeFromAll(stored, at)
      for (const { name, fullAt } of buckets) {
        if (fullAt > at) fullAtByName.set(name, fullAt)
        else fullAtByName.delete(name)
      }
      const untilFull = buckets.map(({ fullAt }) => fullAt - at)
      return budgetOutcome(allowed, charges, untilFull)
    },
    ready: async () => true,
    close: async () => fullAtByName.clear(),
    size: () => fullAtByName.size,
  }
}
