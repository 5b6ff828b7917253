import { setFlagsFromString } from 'node:v8'
import pino, { type Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/client.ts'
import type { BudgetStore } from '../budgets/budget-store.ts'
import { createMemoryBudgets } from '../budgets/memory-budgets.ts'
import { createRedisBudgets, type RedisBudgetsOptions } from '../budgets/redis-budgets.ts'
import type { Config } from '../config.ts'
import { type Listener, listen } from '../http/listen.ts'
import { listenForMetrics } from '../http/serve-metrics.ts'
import { onStopSignal } from '../http/stop-signal.ts'
import { logOutage } from '../program/log-outage.ts'
import { startTracing } from '../tracing/start-tracing.ts'
import { createApi } from './create-api.ts'
import { createMetrics } from './metrics.ts'

const perProcess = 'REDIS_URL is not set: each process has request budgets of its own, so two allow twice the requests'

/** A process cannot detect its replicas, so production without Redis gets a warning in the log. */
export async function openBudgets(
  config: Config,
  log: Logger,
  onFault: NonNullable<RedisBudgetsOptions['onFault']>,
): Promise<BudgetStore> {
  const { REDIS_URL, NODE_ENV, KUBERNETES_SERVICE_HOST } = config
  if (!REDIS_URL) {
    if (NODE_ENV === 'production' || KUBERNETES_SERVICE_HOST) log.warn(perProcess)
    return createMemoryBudgets()
  }
  return createRedisBudgets(REDIS_URL, { onOutage: logOutage(log, 'Redis'), onFault })
}

/** A write for each line would be a tenth of a request's CPU time, so lines are buffered for up to 500 ms. */
const logging = { sync: false, minLength: 8_192, periodicFlush: 500 } as const

/** Redis errors hold their command's arguments, the password among them. */
const secrets = ['err.command', 'cause.command']

/** Garbage is collected at half of what is in use: 600 hostile requests a second take 197 MiB instead of 256. */
const heapGrowth = '--heap-growing-percent=50'

export const createLogger = ({ LOG_LEVEL }: Config): Logger =>
  pino({ level: LOG_LEVEL, redact: secrets }, pino.destination(logging))

/** The caller closes the database. */
export async function startServer(config: Config, database: Database, log = createLogger(config)): Promise<Listener> {
  setFlagsFromString(heapGrowth)
  const metrics = createMetrics(database)
  const budgets = await openBudgets(config, log, metrics.countRedisFault)
  const tracing = await startTracing(config, log)
  let isStopping = false
  let metricsListener: Listener | undefined
  try {
    metricsListener = await listenForMetrics(config, 'METRICS_PORT', metrics.registry)
    const listener = await listen(
      createApi({
        database: tracing ? tracing.traceDatabase(database) : database,
        budgets: tracing && config.REDIS_URL ? tracing.traceBudgets(budgets) : budgets,
        log,
        metrics,
        ...(tracing && { traceRequest: tracing.traceRequest }),
        hasOwnMetricsPort: metricsListener !== undefined,
        corsOrigins: config.CORS_ORIGINS,
        isStopping: () => isStopping,
      }),
      config.PORT,
      config.HOST,
      {
        onProblem: ({ requestId, status, err }) =>
          status < 500 ? log.info({ requestId, status }, 'request') : log.error({ requestId, err }, 'request failed'),
      },
    )
    return {
      url: listener.url,
      async stop() {
        isStopping = true
        await listener.stop(config.DRAIN_SECONDS)
        await metricsListener?.stop()
        await budgets.close()
        await tracing?.stop()
      },
    }
  } catch (error) {
    await metricsListener?.stop()
    await budgets.close()
    await tracing?.stop()
    throw error
  }
}

export function stopOnSignal(stop: () => Promise<void>): void {
  onStopSignal(() => {
    process.stderr.write('\nFinishing the requests in flight; press Ctrl-C again to stop at once\n')
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  })
}

export function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
