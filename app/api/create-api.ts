import { Hono, type MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import { ClientDisconnected } from '../../queries/clickhouse/with-timeout.ts'
import { Problem, problems } from '../../schema/problems.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { endpoints as allEndpoints } from '../endpoints/all.ts'
import { headLength } from '../http/head-length.ts'
import { mountHealth } from '../http/health.ts'
import { observe } from '../http/observe.ts'
import { mountMetrics } from '../http/serve-metrics.ts'
import { authenticate } from '../pipeline/authenticate.ts'
import { type Authenticator, createAuthenticator } from '../pipeline/authenticator.ts'
import { createResponseCache } from '../pipeline/cache/response-cache.ts'
import { chargeBudgets } from '../pipeline/charge-budgets.ts'
import type { Endpoint } from '../pipeline/endpoint.ts'
import { clientClosedRequest, respondProblem } from '../pipeline/json-response.ts'
import { readCursor } from '../pipeline/read-cursor.ts'
import { readPage } from '../pipeline/read-page.ts'
import { rejectMalformedQuery } from '../pipeline/reject-malformed-query.ts'
import { rejectOtherMethods } from '../pipeline/reject-other-methods.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { requireApiAccess } from '../pipeline/require-api-access.ts'
import { requirePlan } from '../pipeline/require-plan.ts'
import { createSiteCache, requireSite } from '../pipeline/require-site.ts'
import { resolveWindow } from '../pipeline/resolve-window.ts'
import { respond, respondDownload } from '../pipeline/respond.ts'
import { startOperation } from '../pipeline/start-operation.ts'
import { validate } from '../pipeline/validate.ts'
import { logOutage, reasonOf } from '../program/log-outage.ts'
import { allowOrigins } from './allow-origins.ts'
import { mountDocs } from './docs-page.ts'
import { mountExplorer } from './explorer-page.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { mountWaitingReports } from './waiting-reports.ts'

export interface ApiServices {
  /** Database of the reader, which can only SELECT. */
  readonly database: Database
  readonly budgets: BudgetStore
  readonly log: Logger
  /** Origins whose pages may read the API (CORS). */
  readonly corsOrigins?: readonly string[]
  /** Public URL of the collector, for the explorer. */
  readonly collectorUrl?: string | undefined
  /** True from the stop signal on: `/readyz` and `/readyz/self` are 503, and requests are served. */
  readonly isStopping?: () => boolean
  readonly now?: () => Date
  readonly metrics?: Metrics
  /** Whether ClickHouse can read its parts, for /readyz. */
  readonly arePartsSound?: () => boolean
  /** They are not served here then. */
  readonly hasOwnMetricsPort?: boolean
  /** Makes a span of each request below `/v1`. */
  readonly traceRequest?: MiddlewareHandler<ApiEnv>
  readonly endpoints?: readonly Endpoint[]
  /** Replaces the lookup of keys. */
  readonly authenticator?: Authenticator
  readonly siteTtlMs?: number
}

export function createApi({
  database,
  budgets,
  log,
  corsOrigins = [],
  collectorUrl,
  isStopping = () => false,
  arePartsSound = () => true,
  now = () => new Date(),
  metrics = createMetrics(database),
  hasOwnMetricsPort = false,
  traceRequest,
  endpoints = allEndpoints,
  authenticator = createAuthenticator((query) => database.read(query)),
  siteTtlMs,
}: ApiServices): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  const siteCache = createSiteCache(siteTtlMs)
  const responseCache = createResponseCache()

  database.observe({
    onOutage: logOutage(log, 'ClickHouse'),
    onPoolWait: metrics.observePoolWait,
    onFault: metrics.countClickHouseFault,
  })
  app.use(observe(metrics, log))
  app.use(headLength)
  if (corsOrigins.length > 0) app.use('/v1/*', allowOrigins(corsOrigins))
  if (traceRequest) app.use('/v1/*', traceRequest)
  mountHealth(app, database, budgets, { isStopping, furtherChecks: { parts: arePartsSound } })
  if (!hasOwnMetricsPort) mountMetrics(app, metrics.registry)
  mountDocs(app, endpoints)
  mountExplorer(app, endpoints, collectorUrl)
  mountWaitingReports(app, database)

  for (const endpoint of endpoints) {
    const route = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
    app.get(
      route,
      startOperation(endpoint, database, log),
      // Runs before validation, so that a client without a key learns nothing.
      authenticate(endpoint, authenticator),
      requireApiAccess(endpoint),
      chargeBudgets(endpoint, budgets),
      rejectMalformedQuery,
      ...validate(endpoint),
      requireSite(siteCache),
      readCursor(endpoint),
      resolveWindow(endpoint, now),
      readPage(endpoint),
      requirePlan(endpoint),
      endpoint.mediaTypes ? respondDownload(endpoint, log) : respond(endpoint, responseCache),
    )
    rejectOtherMethods(app, route)
  }

  app.notFound((c) => respondProblem(c, new Problem('not_found', 'There is no such path; /docs lists all paths')))
  app.onError((error, c) => {
    // No client reads this response; log and metrics count it separately from failures.
    if (error instanceof ClientDisconnected) return c.body(null, clientClosedRequest)
    const { requestId } = c.get('request')
    if (!(error instanceof Problem)) log.error({ requestId, err: error, cause: error.cause }, 'request failed')
    else if (problems[error.code].status >= 500) {
      log.error({ requestId, code: error.code, reason: reasonOf(error) }, 'request failed')
    }
    return respondProblem(c, error)
  })
  return app
}
