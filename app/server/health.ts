import type { Hono } from 'hono'
import { pendingMigrations } from '../../clickhouse/migrate.ts'
import { type Migration, readMigrations } from '../../clickhouse/migration-files.ts'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { singleFlight } from '../pipeline/cache/single-flight.ts'
import { respondJson } from '../pipeline/json-response.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

/** `/livez`: the process responds. `/readyz`: it can serve requests, otherwise 503 with the part that fails. */
export function mountHealth(app: Hono<ApiEnv>, database: Database, budgets: BudgetStore): void {
  let files: readonly Migration[] | undefined
  async function isMigrated(): Promise<boolean> {
    try {
      files ??= await readMigrations()
      return (await pendingMigrations(database, files)).length === 0
    } catch {
      return false
    }
  }

  async function check() {
    const [budgetsReady, engine] = await Promise.all([budgets.ready(), database.ping()])
    // A query to an engine that is down would hold the probe for the whole timeout.
    return { engine, budgets: budgetsReady, migrations: engine && (await isMigrated()) }
  }
  const checks = singleFlight<Awaited<ReturnType<typeof check>>>()

  app.get('/livez', (c) => respondJson(c, 200, { status: 'ok' }))
  app.get('/readyz', async (c) => {
    // Probes need no key, so any number of them shares one check.
    const { engine, budgets, migrations } = await checks('ready', check)
    const ready = engine && budgets && migrations
    return respondJson(c, ready ? 200 : 503, {
      status: statusOf(ready),
      checks: { engine: statusOf(engine), budgets: statusOf(budgets), migrations: statusOf(migrations) },
    })
  })
  rejectOtherMethods(app, '/livez')
  rejectOtherMethods(app, '/readyz')
}

const statusOf = (isGood: boolean) => (isGood ? 'ok' : 'failing')
