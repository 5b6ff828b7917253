import { Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/client.ts'
import { ClientDisconnected } from '../../queries/clickhouse/with-timeout.ts'
import { Problem, problems } from '../../schema/problems.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { endpoints as allEndpoints } from '../endpoints/all.ts'
import { createAuthenticator } from '../pipeline/authenticator.ts'
import { createResponseCache } from '../pipeline/cache/response-cache.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { respondProblem } from '../pipeline/json-response.ts'
import { mountEndpoint } from '../pipeline/mount-endpoint.ts'
import { type ApiEnv, createRequestContext } from '../pipeline/request-context.ts'
import { requireSite } from '../pipeline/require-site.ts'
import { mountDocs } from './docs-page.ts'
import { mountHealth } from './health.ts'
import { createMetrics } from './metrics.ts'

/** nginx's status of a request whose client disconnected; proxies and dashboards know it. */
const clientClosedRequest = 499 as StatusCode

/** Dependencies of the API. */
export interface ApiServices {
  /** As the reader: a user that can only SELECT. */
  readonly database: Database
  readonly budgets: BudgetStore
  readonly log: Logger
  /** The clock, for windows and retention. */
  readonly now?: () => Date
  /** Every operation by default. */
  readonly endpoints?: readonly Endpoint[]
}

/** The whole API: every operation, health, metrics and the reference. */
export function createApi({
  database,
  budgets,
  log,
  now = () => new Date(),
  endpoints = allEndpoints,
}: ApiServices): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  const metrics = createMetrics()

  app.use(async function observe(c, next) {
    const request = createRequestContext(c.req.header('X-Request-Id'))
    c.set('request', request)
    await next()
    const durationMs = performance.now() - request.startedAt
    const { status } = c.res
    metrics.observe(request, status, durationMs)
    const caller = c.get('caller')
    const line = {
      requestId: request.requestId,
      operation: request.operation,
      tenantId: caller?.tenant.id,
      keyId: caller?.key.id,
      method: c.req.method,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      engineMs: Math.round(request.engineMs * 10) / 10,
      cacheHit: request.cacheHit,
      rowsRead: request.rowsRead,
      bytesRead: request.bytesRead,
    }
    if (request.operation) log.info(line, 'request')
    else log.debug(line, 'request')
  })

  mountHealth(app, database, budgets)
  metrics.mount(app)
  mountDocs(app, endpoints)
  const services = {
    database,
    budgets,
    authenticator: createAuthenticator((query) => database.read(query)),
    requireSite: requireSite(),
    responseCache: createResponseCache(),
    now,
  }
  for (const endpoint of endpoints) mountEndpoint(app, endpoint, services)

  app.notFound((c) => respondProblem(c, new Problem('not_found', 'There is no such path; /docs lists all there are')))
  app.onError((error, c) => {
    // No client reads this response; log and metrics count it apart from failures.
    if (error instanceof ClientDisconnected) return c.body(null, clientClosedRequest)
    const { requestId } = c.get('request')
    const isExpected = error instanceof Problem && problems[error.code].status < 500
    if (!isExpected) log.error({ requestId, err: error, cause: error.cause }, 'request failed')
    return respondProblem(c, error)
  })
  return app
}
