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

/** Checks by name, each run once per probe. */
type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>

export interface HealthOptions {
  /** True from the stop signal on, so that proxies send no more requests. */
  readonly isStopping: () => boolean
  /** Checks of the process, in addition to ClickHouse and the budgets. */
  readonly furtherChecks?: Checks
  /** Checks of only this instance: with them, no other check makes a probe 503. */
  readonly ownChecks?: Checks
  /** Further members of the body. */
  readonly details?: () => Readonly<Record<string, unknown>>
}

const paths = ['/livez', '/readyz', '/readyz/self']

/**
 * `/livez`: the process responds. `/readyz`: it can serve requests, otherwise 503 with the check that fails. `/readyz/self`:
 * 503 only while the process stops or lacks migrations, so that an outage behind all instances leaves them to their balancer.
 */
export function mountHealth(
  app: Hono<ApiEnv>,
  database: Pick<Database, 'read'>,
  budgets: Pick<BudgetStore, 'ready'> | undefined,
  { isStopping, furtherChecks = {}, ownChecks, details = () => ({}) }: HealthOptions,
): void {
  let files: readonly Migration[] | undefined
  /** Permanent: a migration is never undone. */
  let wasMigrated = false
  async function checkDatabase() {
    try {
      files ??= await readMigrations()
      const pending = await pendingMigrations(database, files)
      wasMigrated ||= pending.length === 0
      return { engine: true, migrations: statusOf(pending.length === 0) }
    } catch (error) {
      // Only a responding engine can report its migrations.
      const unavailable = error instanceof Problem
      return { engine: !unavailable, migrations: unavailable ? 'unknown' : 'failing' }
    }
  }

  async function check() {
    const [budgetsReady, { engine, migrations }, further] = await Promise.all([
      budgets?.ready(),
      checkDatabase(),
      outcomesOf({ ...furtherChecks, ...ownChecks }),
    ])
    return {
      engine: statusOf(engine),
      ...(budgetsReady !== undefined && { budgets: statusOf(budgetsReady) }),
      migrations,
      ...further,
    }
  }

  async function checkSelf() {
    if (ownChecks) return outcomesOf(ownChecks)
    const { migrations } = wasMigrated ? { migrations: 'ok' } : await checkDatabase()
    return { migrations }
  }

  const own = ownChecks && new Set([...Object.keys(ownChecks), 'process'])
  const checks = singleFlight<Readonly<Record<string, string>>>()

  /** Probes need no key, so any number of them shares one check. */
  const mountChecks = (
    path: string,
    run: () => Promise<Readonly<Record<string, string>>>,
    failing: readonly string[],
  ) =>
    app.get(path, async (c) => {
      const outcomes = { ...(await checks(path, run)), ...(isStopping() && { process: 'failing' }) }
      const ready = !Object.entries(outcomes).some(
        ([name, status]) => failing.includes(status) && (own?.has(name) ?? true),
      )
      return respondJson(c, ready ? 200 : 503, { status: statusOf(ready), checks: outcomes, ...details() })
    })

  app.get('/livez', (c) => respondJson(c, 200, { status: 'ok' }))
  mountChecks('/readyz', check, ['failing', 'unknown'])
  mountChecks('/readyz/self', checkSelf, ['failing'])
  for (const path of paths) {
    app.options(path, (c) => createResponse(null, 204, { Allow: 'GET, HEAD, OPTIONS', ...headersOf(c.get('request')) }))
    rejectOtherMethods(app, path)
  }
}

const outcomesOf = async (checks: Checks) =>
  Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, isGood]) => [name, statusOf(await isGood())] as const)),
  )

const statusOf = (isGood: boolean) => (isGood ? 'ok' : 'failing')
