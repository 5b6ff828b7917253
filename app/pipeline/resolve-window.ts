import type { Context, MiddlewareHandler } from 'hono'
import { retentionStart } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { expiredRows } from '../../schema/rules/time/expired-rows.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import {
  earlierWindow,
  frozenWindow,
  isWindowOfLast,
  type WindowRule,
  windowOf,
} from '../../schema/rules/time/window.ts'
import type { Endpoint } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Window of the request, or the window fixed by its cursor, within retention. Throws bad_request. */
export function resolveWindow(endpoint: Endpoint, now: () => Date): MiddlewareHandler<ApiEnv> {
  return function resolveWindow(c, next) {
    const rule = endpoint.windowFor?.(c.get('query')) ?? endpoint.window
    const moment = now()
    const { tenant } = c.get('caller')
    const retentionFrom = retentionStart(tenant.entitlements.retentionDays, moment)
    c.set('retentionFrom', retentionFrom)
    if (rule) {
      const expired = expiredRows(tenant, retentionFrom.getTime())
      const window = { ...windowOfRequest(c, rule, moment, retentionFrom), ...(expired && { expired }) }
      c.set('window', window)
      c.set('earlier', earlierWindow(window, retentionFrom))
    }
    return next()
  }
}

function windowOfRequest(c: Context<ApiEnv>, rule: WindowRule, now: Date, retentionFrom: Date): TimeRange {
  const cursor = c.get('cursor')
  const query = c.get('query')
  if (query.last !== undefined && (query.from ?? query.to)) {
    throw new Problem('bad_request', 'last cannot be combined with from or to')
  }
  if (!cursor) {
    if (rule === 'retention') return { from: retentionFrom.getTime(), to: now.getTime() }
    return windowOf(rule, query, now, retentionFrom)
  }
  const window = cursor.window && frozenWindow(rule, cursor.window, retentionFrom)
  if (!cursor.window || !window)
    throw new Problem('bad_request', 'cursor is out of bounds; start again without a cursor')
  for (const bound of ['from', 'to'] as const) {
    const requested = query[bound]?.getTime()
    if (requested !== undefined && requested !== cursor.window[bound]) {
      const frozen = new Date(cursor.window[bound]).toISOString()
      throw new Problem('bad_request', `with a cursor, ${bound} must be ${frozen} or omitted`)
    }
  }
  if (query.last !== undefined && !isWindowOfLast(cursor.window, query.last)) {
    throw new Problem('bad_request', 'with a cursor, last must be the value of the first page or omitted')
  }
  return window
}
