import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import type { Config } from '../config.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'

/** Spans of requests and, below them, of budgets in Redis and of statements. */
export interface Tracing {
  readonly traceRequest: MiddlewareHandler<ApiEnv>
  readonly traceBudgets: (budgets: BudgetStore) => BudgetStore
  readonly traceDatabase: (database: Database) => Database
  /** Sends the spans that wait, for at most 5 s. Never rejects. */
  stop(): Promise<void>
}

/** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT; OpenTelemetry, 10 MB and 0.2 ms of CPU time a request, is not loaded then. */
export async function startTracing(config: Config, log: Logger): Promise<Tracing | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined
  const { openTracing } = await import('./open-tracing.ts')
  return openTracing(log)
}
