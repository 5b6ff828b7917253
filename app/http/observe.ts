import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Gauge } from 'prom-client'
import { type ApiEnv, createRequestContext, type RequestContext } from '../pipeline/request-context.ts'

interface RequestMetrics {
  readonly inFlight: Pick<Gauge, 'inc' | 'dec'>
  observe(request: RequestContext, status: number, durationMs: number): void
}

interface ObserveOptions {
  /** Log level of an operation if its status is below 400. */
  readonly successLevel?: 'info' | 'debug'
}

export function observe(
  metrics: RequestMetrics,
  log: Logger,
  { successLevel = 'info' }: ObserveOptions = {},
): MiddlewareHandler<ApiEnv> {
  return async function observe(c, next) {
    const request = createRequestContext(c.req.header('X-Request-Id'))
    c.set('request', request)
    metrics.inFlight.inc()
    await next()
    metrics.inFlight.dec()
    const durationMs = performance.now() - request.startedAt
    const { status } = c.res
    metrics.observe(request, status, durationMs)
    const caller = c.get('caller')
    const line = {
      requestId: request.requestId,
      operation: request.operation,
      tenantId: caller?.tenant.id ?? request.site?.tenantId,
      siteId: request.site?.id,
      keyId: caller?.key.id,
      method: c.req.method,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      engineMs: Math.round(request.engineMs * 10) / 10,
      cacheHit: request.cacheHit,
      rowsRead: request.rowsRead,
      bytesRead: request.bytesRead,
    }
    // Five polls a second are 155 MB a day at info.
    const isRepeated = status === 304 || request.cacheHit === true
    if (!request.operation || (isRepeated && status < 400)) log.debug(line, 'request')
    else if (status < 400) log[successLevel](line, 'request')
    else log.info(line, 'request')
  }
}
