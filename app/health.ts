import type { Hono } from 'hono'
import { pendingMigrations } from '../clickhouse/migrate.ts'
import type { Database } from '../queries/clickhouse.ts'
import type { BudgetStore } from './budgets/budget-store.ts'
import { answer } from './pipeline/answer.ts'
import { onlyGet } from './pipeline/only-get.ts'
import type { ApiEnv } from './pipeline/request-state.ts'

/**
 * `/livez`: the process answers. `/readyz`: it can answer questions, 503 where it cannot, naming the part that fails.
 * Both without a key, and without any tenant's data.
 */
export function mountHealth(app: Hono<ApiEnv>, database: Database, budgets: BudgetStore): void {
  app.get('/livez', (c) => answer(c, 200, { status: 'ok' }))
  app.get('/readyz', async (c) => {
    const [budgetsReady, engineReady] = await Promise.all([budgets.ready(), database.ping()])
    // Not asked of an engine that is away: a probe would wait for the whole deadline of a question.
    const migrated = engineReady && (await isMigrated(database))
    const ready = engineReady && budgetsReady && migrated
    const checks = { engine: said(engineReady), budgets: said(budgetsReady), migrations: said(migrated) }
    return answer(c, ready ? 200 : 503, { status: said(ready), checks })
  })
  onlyGet(app, '/livez')
  onlyGet(app, '/readyz')
}

async function isMigrated(database: Database): Promise<boolean> {
  try {
    return (await pendingMigrations(database)).length === 0
  } catch {
    return false
  }
}

const said = (good: boolean) => (good ? 'ok' : 'failing')
