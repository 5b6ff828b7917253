import { randomUUID } from 'node:crypto'
import type { BudgetCharge } from '../../app/budgets/budget-store.ts'

/** What a request of a fresh key of `tenantId` spends: the key's budget and the tenant's, each of 60 seconds. */
export function budgetCharges(
  keyLimit: number,
  tenantLimit: number,
  { tenantId = randomUUID(), keyId = randomUUID() }: { tenantId?: string; keyId?: string } = {},
): BudgetCharge[] {
  const ids = { tenantId, ownerId: keyId, windowSeconds: 60 }
  return [
    { ...ids, name: 'key', limit: keyLimit },
    { ...ids, name: 'tenant', limit: tenantLimit },
  ]
}
