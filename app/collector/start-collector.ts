import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { createFallbackBudgets } from '../budgets/fallback-budgets.ts'
import type { Config } from '../config.ts'
import { addDiskMetrics } from '../http/disk-metrics.ts'
import { type Listener, listen } from '../http/listen.ts'
import { listenForMetrics } from '../http/serve-metrics.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { reasonOf } from '../program/log-outage.ts'
import { openBudgets } from '../program/open-budgets.ts'
import { watchParts } from '../program/watch-parts.ts'
import { addClusterMetrics } from './cluster-metrics.ts'
import type { CollectorLog } from './collector-log.ts'
import type { CollectorMetrics } from './collector-metrics.ts'
import { createCollector } from './create-collector.ts'
import type { LogSender } from './log-sender.ts'
import { type LogConfig, type LogOptions, openLog } from './open-log.ts'
import { mountTryPage, type TryPageOptions } from './try-page.ts'

export interface CollectorOptions extends LogOptions {
  readonly tryPage?: TryPageOptions | undefined
  /** Adds further paths. */
  readonly mount?: ((app: Hono<ApiEnv>) => void) | undefined
}

export interface RunningCollector extends Listener {
  /** Resolves when each report that it took is stored. */
  drained(): Promise<void>
}

/** Longest wait of a stop for blocks in flight, after the posts; unsent data remains in the log. */
const stopMs = 10_000

/** Sends the log of a folder that no collector runs on to its end. */
export async function drainLog(
  config: LogConfig,
  database: Database,
  log: Logger,
  options: LogOptions = {},
): Promise<void> {
  const { sender, close } = await openLog(config, database, log, options)
  sender.hurry()
  await sender.drained()
  await close()
}

/** @param database as the writer, of the cluster where there is one; the caller closes both. */
export async function startCollector(
  config: Config,
  database: Database,
  log: Logger,
  options: CollectorOptions = {},
): Promise<RunningCollector> {
  const { tryPage, mount, cluster } = options
  const { segments, metrics, sites, sender, close } = await openLog(config, database, log, options)
  const closing: (() => Promise<unknown>)[] = [close]
  const closeAll = async () => {
    for (const end of closing.toReversed()) await end()
  }
  try {
    addDiskMetrics(metrics.registry, database)
    if (cluster) closing.push(openClusterMetrics(config, cluster, metrics, log))
    const budgets = createFallbackBudgets(await openBudgets(config, log, metrics.countRedisFault))
    closing.push(budgets.close)
    const parts = watchParts(database, log)
    closing.push(async () => parts.stop())
    database.observe({ onPoolWait: metrics.observePoolWait, onFault: metrics.countClickHouseFault })
    let isStopping = false
    const app = createCollector({
      database,
      budgets,
      sites,
      store: sender,
      metrics,
      log,
      isLogWritable: segments.isWritable,
      describeLog: () => describeLog(segments, sender.failure()),
      postsPerMinute: config.SITE_POSTS_PER_MINUTE,
      isStopping: () => isStopping,
      arePartsSound: parts.isSound,
      hasOwnMetricsPort: config.COLLECTOR_METRICS_PORT !== undefined,
    })
    if (tryPage) mountTryPage(app, tryPage)
    mount?.(app)
    const metricsListener = await listenForMetrics(config, 'COLLECTOR_METRICS_PORT', metrics.registry)
    if (metricsListener) closing.push(() => metricsListener.stop())
    const listener = await listen(app, config.COLLECTOR_PORT, config.HOST, {
      variable: 'COLLECTOR_PORT',
      allowHalfOpen: true,
      limits: { keepAliveTimeoutMs: config.KEEP_ALIVE_SECONDS * 1_000 },
      onProblem: ({ requestId, status }) => log.info({ requestId, status }, 'request'),
    })
    return {
      url: listener.url,
      drained: sender.drained,
      async stop() {
        isStopping = true
        sender.hurry()
        await listener.stop(config.DRAIN_SECONDS)
        await untilDrained(sender)
        await closeAll()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Ends early while ClickHouse does not accept blocks. */
async function untilDrained(sender: Pick<LogSender, 'drained' | 'failure'>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const deadline = performance.now() + stopMs
  const gaveUp = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (sender.failure() || performance.now() > deadline) resolve()
    }, 50)
  })
  await Promise.race([sender.drained(), gaveUp])
  clearInterval(timer)
}

function describeLog(segments: CollectorLog, failure: Error | undefined) {
  const oldestAt = segments.oldestAt()
  return {
    bytes: segments.bytes(),
    reports: segments.reports(),
    oldestSeconds: oldestAt === undefined ? 0 : Math.round(Math.max(0, Date.now() - oldestAt) / 1000),
    ...(failure && { waitsFor: reasonOf(failure) }),
  }
}

function openClusterMetrics(config: Config, cluster: Cluster, metrics: CollectorMetrics, log: Logger) {
  const onRefusal = (node: string, err: unknown) => log.error({ node, err }, 'Failed to read the health of a node')
  return addClusterMetrics(metrics.registry, config.CLICKHOUSE_URL ?? '', cluster, onRefusal)
}
