import { Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import { CallerLeft } from '../queries/attempts.ts'
import type { Database } from '../queries/clickhouse.ts'
import { Problem, problems } from '../schema/problems.ts'
import type { BudgetStore } from './budgets/budget-store.ts'
import { endpoints } from './endpoints/all.ts'
import { mountHealth } from './health.ts'
import { createMetrics } from './metrics.ts'
import { createAuthenticator } from './pipeline/authenticator.ts'
import { createKeptAnswers } from './pipeline/cache/response-cache.ts'
import { answerProblem } from './pipeline/json-response.ts'
import { mount } from './pipeline/mount-endpoint.ts'
import { type ApiEnv, startRequest } from './pipeline/request-context.ts'
import { createSiteCheck } from './pipeline/require-site.ts'
import { mountReference } from './reference.ts'

/** The status under which proxies and their dashboards know a request whose caller did not wait (nginx). */
const callerLeft = 499 as StatusCode

/** What the API needs of the world. */
export interface ApiServices {
  /** As the reader: a user that can only SELECT. */
  readonly database: Database
  readonly budgets: BudgetStore
  readonly log: Logger
  /** The clock, for windows and retention. */
  readonly now?: () => Date
}

/** The whole API: every operation, health, metrics and the reference. */
export function createApi({ database, budgets, log, now = () => new Date() }: ApiServices): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  const metrics = createMetrics()
  const authenticate = createAuthenticator((query) => database.read(query))

  app.use(async function observe(c, next) {
    const state = startRequest(c.req.header('X-Request-Id'))
    c.set('state', state)
    await next()
    const milliseconds = performance.now() - state.startedAt
    const { status } = c.res
    metrics.observe(state, status, milliseconds)
    const line = {
      requestId: state.requestId,
      operation: state.operation,
      tenantId: state.caller?.tenant.id,
      keyId: state.caller?.key.id,
      method: c.req.method,
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
      engineMilliseconds: Math.round(state.engineMilliseconds * 10) / 10,
      kept: state.kept,
      rowsRead: state.rowsRead,
      bytesRead: state.bytesRead,
    }
    if (state.operation) log.info(line, 'request')
    else log.debug(line, 'request')
  })

  mountHealth(app, database, budgets)
  metrics.mount(app)
  mountReference(app, endpoints)
  const services = {
    database,
    budgets,
    authenticate,
    ownSite: createSiteCheck(),
    keptAnswers: createKeptAnswers(),
    now,
  }
  for (const endpoint of endpoints) mount(app, endpoint, services)

  app.notFound((c) => answerProblem(c, new Problem('not_found', 'There is no such path; /docs lists all there are')))
  app.onError((error, c) => {
    // Nobody reads this; the log and the metrics tell it apart from an answer that failed.
    if (error instanceof CallerLeft) return c.body(null, callerLeft)
    const { requestId } = c.get('state')
    const refused = error instanceof Problem && problems[error.code].status < 500
    if (!refused) log.error({ requestId, err: error, cause: error.cause }, 'request failed')
    return answerProblem(c, error)
  })
  return app
}
