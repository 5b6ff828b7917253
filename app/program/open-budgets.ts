import type { Logger } from 'pino'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { createMemoryBudgets } from '../budgets/memory-budgets.ts'
import { createRedisBudgets, type RedisBudgetsOptions } from '../budgets/redis-budgets.ts'
import type { Config } from '../config.ts'
import { logOutage } from './log-outage.ts'

const perProcess =
  'REDIS_URL is not set: each process has its own request budgets, so two processes allow twice the requests'

/** A process cannot detect its replicas, so production without Redis gets a warning in the log. */
export async function openBudgets(
  config: Config,
  log: Logger,
  onFault: NonNullable<RedisBudgetsOptions['onFault']>,
): Promise<BudgetStore> {
  const { REDIS_URL, NODE_ENV, KUBERNETES_SERVICE_HOST } = config
  if (!REDIS_URL) {
    if (NODE_ENV === 'production' || KUBERNETES_SERVICE_HOST) log.warn(perProcess)
    return createMemoryBudgets()
  }
  return createRedisBudgets(REDIS_URL, { onOutage: logOutage(log, 'Redis'), onFault })
}
