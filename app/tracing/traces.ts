/**
 * @module Spans of OpenTelemetry, with the attributes of its semantic conventions. None has a key, a query string or a
 * value.
 */

import { finished } from 'node:stream'
import { context, propagation, type Span, SpanKind, type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api'
import type { MiddlewareHandler } from 'hono'
import type { Database } from '../../queries/clickhouse/database.ts'
import { ClientDisconnected } from '../../queries/clickhouse/with-timeout.ts'
import type { ExportQuery, Query } from '../../queries/sql/query.ts'
import { render } from '../../queries/sql/sql.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

/** Spans of requests and, below them, of budgets in Redis and of statements. */
export interface Tracing {
  readonly traceRequest: MiddlewareHandler<ApiEnv>
  readonly traceBudgets: (budgets: BudgetStore) => BudgetStore
  readonly traceDatabase: (database: Database) => Database
  /** Sends the waiting spans, for at most 5 s. Never rejects. */
  stop(): Promise<void>
}

export const tracerName = 'security-reporting-api'

/** Delegates to the SDK once that is registered. */
const tracer = trace.getTracer(tracerName)

/** Span of a request, which continues the trace of its `traceparent`. Its errors are those of the server. */
export const traceRequest: MiddlewareHandler<ApiEnv> = function traceRequest(c, next) {
  const { method, path } = c.req
  const { requestId } = c.get('request')
  const attributes = {
    'http.request.method': method,
    'url.scheme': 'http',
    'url.path': path,
    'http.response.header.x-request-id': [requestId],
  }
  const caller = propagation.extract(context.active(), c.req.header())
  return tracer.startActiveSpan(method, { kind: SpanKind.SERVER, attributes }, caller, async (span) => {
    await next()
    const { route } = c.get('request')
    const { status } = c.res
    if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
    span.setAttribute('http.response.status_code', status)
    if (status >= 500) fail(span, c.error ?? { code: String(status) })
    span.end()
  })
}

/** Span of each round trip to Redis. */
export const traceBudgets = (budgets: BudgetStore): BudgetStore => ({
  ...budgets,
  take(charges) {
    const attributes = { 'db.system.name': 'redis' }
    return tracer.startActiveSpan('takeBudgets', { kind: SpanKind.CLIENT, attributes }, (span) =>
      endWith(span, budgets.take(charges)),
    )
  },
})

/**
 * Span of each statement of a request, including its wait for a slot in the query pool; probes and metrics have none.
 */
export const traceDatabase = (database: Database): Database => ({
  ...database,
  read(query, options) {
    if (!trace.getActiveSpan()) return database.read(query, options)
    return tracer.startActiveSpan(query.name, statementSpan(query), (span) => {
      const onCost: NonNullable<typeof options>['onCost'] = (cost) => {
        span.setAttributes({
          'clickhouse.read_rows': cost.rowsRead,
          'clickhouse.read_bytes': cost.bytesRead,
          'clickhouse.elapsed_ms': cost.elapsedMs,
        })
        options?.onCost?.(cost)
      }
      return endWith(span, database.read(query, { ...options, onCost, traceparent: traceparent() }))
    })
  },
  export(query, options) {
    return tracer.startActiveSpan(query.name, statementSpan(query), async (span) => {
      const opening = database.export(query, { ...options, traceparent: traceparent() })
      const bytes = await opening.catch((error: unknown) => {
        fail(span, error)
        span.end()
        throw error
      })
      finished(bytes, (error) => {
        if (error && !options?.signal?.aborted) fail(span, error)
        span.end()
      })
      return bytes
    })
  },
})

const statementSpan = ({ name, statement }: Query<unknown> | ExportQuery): SpanOptions => ({
  kind: SpanKind.CLIENT,
  attributes: {
    'db.system.name': 'clickhouse',
    'db.query.summary': name,
    // Values are `{p0:UUID}`.
    'db.query.text': render(statement).text.trim(),
  },
})

/** The active span as a header (W3C Trace Context). */
function traceparent(): string | undefined {
  const headers: { traceparent?: string } = {}
  propagation.inject(context.active(), headers)
  return headers.traceparent
}

async function endWith<Result>(span: Span, task: Promise<Result>): Promise<Result> {
  try {
    return await task
  } catch (error) {
    fail(span, error)
    throw error
  } finally {
    span.end()
  }
}

/**
 * Marks a span as failed, except for a disconnected client. ClickHouse's messages quote values, so they are not sent.
 */
function fail(span: Span, error: unknown): void {
  const type = errorType(error)
  if (type === ClientDisconnected.name) return
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)
}

/** ClickHouse's name of the innermost error, a code such as ECONNREFUSED, or a class. */
function errorType(error: unknown): string {
  const failure = error as NodeJS.ErrnoException & { readonly type?: string }
  if (failure.cause instanceof Error) return errorType(failure.cause)
  return failure.type ?? failure.code ?? failure.constructor.name
}
