import type { Hono } from 'hono'
import { pendingMigrations } from '../clickhouse/migrate.ts'
import { type Migration, readMigrations } from '../clickhouse/migration-files.ts'
import type { Database } from '../queries/clickhouse.ts'
import type { BudgetStore } from './budgets/budget-store.ts'
import { shareUnderWay } from './pipeline/cache/single-flight.ts'
import { answer } from './pipeline/json-response.ts'
import { onlyGet } from './pipeline/method-not-allowed.ts'
import type { ApiEnv } from './pipeline/request-context.ts'

/**
 * `/livez`: the process answers. `/readyz`: it can answer questions, 503 where it cannot, naming the part that fails.
 * Both without a key, and without any tenant's data.
 */
export function mountHealth(app: Hono<ApiEnv>, database: Database, budgets: BudgetStore): void {
  let known: readonly Migration[] | undefined
  async function isMigrated(): Promise<boolean> {
    try {
      known ??= await readMigrations()
      return (await pendingMigrations(database, known)).length === 0
    } catch {
      return false
    }
  }

  async function check() {
    const [budgetsReady, engine] = await Promise.all([budgets.ready(), database.ping()])
    // Not asked of an engine that is away: a probe would wait for the whole deadline.
    return { engine, budgets: budgetsReady, migrations: engine && (await isMigrated()) }
  }
  const share = shareUnderWay<Awaited<ReturnType<typeof check>>>()

  app.get('/livez', (c) => answer(c, 200, { status: 'ok' }))
  app.get('/readyz', async (c) => {
    // Anybody may ask, as often as they like: one check at a time answers all.
    const { engine, budgets, migrations } = await share('ready', check)
    const ready = engine && budgets && migrations
    const checks = { engine: said(engine), budgets: said(budgets), migrations: said(migrations) }
    return answer(c, ready ? 200 : 503, { status: said(ready), checks })
  })
  onlyGet(app, '/livez')
  onlyGet(app, '/readyz')
}

const said = (good: boolean) => (good ? 'ok' : 'failing')
