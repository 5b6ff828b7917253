import type { Hono } from 'hono'
import { pendingMigrations } from '../../clickhouse/migrate.ts'
import { type Migration, readMigrations } from '../../clickhouse/migration-files.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { Problem } from '../../schema/problems.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { singleFlight } from '../pipeline/cache/single-flight.ts'
import { createResponse, respondJson } from '../pipeline/json-response.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import { type ApiEnv, headersOf } from '../pipeline/request-context.ts'

/** `/livez`: the process responds. `/readyz`: it can serve requests, otherwise 503 with the check that fails. */
/** @param furtherChecks of the process, beside ClickHouse and the budgets. */
export function mountHealth(
  app: Hono<ApiEnv>,
  database: Pick<Database, 'read'>,
  budgets: BudgetStore,
  furtherChecks: () => Readonly<Record<string, boolean | Promise<boolean>>> = () => ({}),
): void {
  let files: readonly Migration[] | undefined
  async function checkDatabase() {
    try {
      files ??= await readMigrations()
      const pending = await pendingMigrations(database, files)
      return { engine: true, migrations: statusOf(pending.length === 0) }
    } catch (error) {
      // Only an engine that responds can say which migrations it has.
      const unavailable = error instanceof Problem
      return { engine: !unavailable, migrations: unavailable ? 'unknown' : 'failing' }
    }
  }

  async function check() {
    const outcomes = Object.entries(furtherChecks()).map(
      async ([name, isGood]) => [name, statusOf(await isGood)] as const,
    )
    const [budgetsReady, { engine, migrations }, further] = await Promise.all([
      budgets.ready(),
      checkDatabase(),
      Promise.all(outcomes),
    ])
    return { engine: statusOf(engine), budgets: statusOf(budgetsReady), migrations, ...Object.fromEntries(further) }
  }
  const checks = singleFlight<Awaited<ReturnType<typeof check>>>()

  app.get('/livez', (c) => respondJson(c, 200, { status: 'ok' }))
  app.get('/readyz', async (c) => {
    // Probes need no key, so any number of them shares one check.
    const outcomes = await checks('ready', check)
    const ready = Object.values(outcomes).every((status) => status === 'ok')
    return respondJson(c, ready ? 200 : 503, { status: statusOf(ready), checks: outcomes })
  })
  for (const path of ['/livez', '/readyz']) {
    app.options(path, (c) => createResponse(null, 204, { Allow: 'GET, HEAD, OPTIONS', ...headersOf(c.get('request')) }))
    rejectOtherMethods(app, path)
  }
}

/** A check of its own from the stop signal on, so that proxies send no more requests. */
export const whileServing = (isStopping: boolean) => (isStopping ? { process: false } : {})

const statusOf = (isGood: boolean) => (isGood ? 'ok' : 'failing')
