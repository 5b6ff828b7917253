import type { Hono, MiddlewareHandler } from 'hono'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { authenticate } from './authenticate.ts'
import type { Authenticator } from './authenticator.ts'
import type { ResponseCache } from './cache/response-cache.ts'
import { chargeBudgets } from './charge-budgets.ts'
import type { Endpoint } from './endpoint.ts'
import { rejectOtherMethods } from './reject-other-methods.ts'
import { readCursor } from './read-cursor.ts'
import { readPage } from './read-page.ts'
import { rejectMalformedQuery } from './reject-malformed-query.ts'
import type { ApiEnv } from './request-context.ts'
import { requireApiAccess } from './require-api-access.ts'
import { requirePlan } from './require-plan.ts'
import { resolveWindow } from './resolve-window.ts'
import { respond } from './respond.ts'
import { startOperation } from './start-operation.ts'
import { validate } from './validate.ts'

/** Dependencies of the steps, shared by all operations. */
export interface PipelineServices {
  readonly database: Database
  readonly budgets: BudgetStore
  readonly authenticator: Authenticator
  /** One step for all operations, because it caches the sites it has found. */
  readonly requireSite: MiddlewareHandler<ApiEnv>
  readonly responseCache: ResponseCache
  readonly now: () => Date
}

/**
 * Mounts an operation: its steps, in the order in which they happen. Validation comes after authentication, so that a
 * caller without a key learns nothing.
 */
export function mountEndpoint(app: Hono<ApiEnv>, endpoint: Endpoint, services: PipelineServices): void {
  const { database, budgets, authenticator, requireSite, responseCache, now } = services
  const route = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
  app.get(
    route,
    startOperation(endpoint, database),
    authenticate(authenticator),
    requireApiAccess(endpoint),
    chargeBudgets(endpoint, budgets),
    rejectMalformedQuery,
    ...validate(endpoint),
    requireSite,
    readCursor(endpoint),
    resolveWindow(endpoint, now),
    readPage(endpoint),
    requirePlan(endpoint),
    respond(endpoint, responseCache),
  )
  rejectOtherMethods(app, route)
}
