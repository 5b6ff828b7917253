import type { MiddlewareHandler } from 'hono'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'
import { requireCapability } from './require-plan.ts'

/** Throws plan_upgrade_required. It runs before the budgets, so such a request costs nothing. */
export function requireApiAccess({ alwaysWorks }: Endpoint): MiddlewareHandler<ApiEnv> {
  return function requireApiAccess(c, next) {
    if (!alwaysWorks) requireCapability(c.get('caller'), 'api', 'API access')
    return next()
  }
}
