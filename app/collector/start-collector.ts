import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { untilInStep } from '../../clickhouse/cluster/in-step.ts'
import type { Cluster } from '../../clickhouse/cluster/open-cluster.ts'
import { shardOfTenant } from '../../clickhouse/cluster/tenant-shards.ts'
import { logImportSteps } from '../../clickhouse/log-import-steps.ts'
import { createBootReader, type ReadBoot } from '../../clickhouse/read-boot.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Config } from '../config.ts'
import { addDiskMetrics } from '../http/disk-metrics.ts'
import { type Listener, listen } from '../http/listen.ts'
import { listenForMetrics } from '../http/serve-metrics.ts'
import { clickHouseReportWriter } from '../import/reports/clickhouse-report-writer.ts'
import type { ApiEnv } from '../pipeline/request-context.ts'
import { openBudgets } from '../program/open-budgets.ts'
import { watchParts } from '../program/watch-parts.ts'
import { spoolFolder, storedFolder } from './block-files.ts'
import { addClusterMetrics } from './cluster-metrics.ts'
import { createCollectorMetrics } from './collector-metrics.ts'
import { createCollector } from './create-collector.ts'
import { logRestored } from './log-restored.ts'
import { logStoreOutage } from './log-store-outage.ts'
import { createReportStore, type ReportStoreOptions } from './report-store.ts'
import { createRestoreBlocks } from './restore-blocks.ts'
import { settleInsert } from './settle-insert.ts'
import { openShardStores } from './shard-stores.ts'
import { openSpool } from './spool.ts'
import { mountTryPage, type TryPageOptions } from './try-page.ts'

const bootUnknown = 'Cannot read the uptime of ClickHouse’s machine: reports lost in a power cut will not be restored'

export interface CollectorOptions {
  readonly tryPage?: TryPageOptions | undefined
  /** Adds further paths. */
  readonly mount?: ((app: Hono<ApiEnv>) => void) | undefined
  readonly cluster?: Cluster | undefined
  readonly siteTtlMs?: number | undefined
  /** Of ClickHouse's machine, as ClickHouse has it by default. */
  readonly readBoot?: ReadBoot | undefined
  /** Timeouts and limits of blocks. */
  readonly blocks?: Pick<ReportStoreOptions, 'timeouts' | 'limits'> | undefined
}

/** @param database as the writer, of the cluster where there is one; the caller closes both. */
export async function startCollector(
  config: Config,
  database: Database,
  log: Logger,
  { tryPage, mount, cluster, siteTtlMs, readBoot, blocks }: CollectorOptions = {},
): Promise<Listener> {
  const metrics = createCollectorMetrics(() => store.waitingBytes(), config.DATA_DIR)
  addDiskMetrics(metrics.registry, database)
  const onRefusal = (node: string, err: unknown) => log.error({ node, err }, 'Failed to read the health of a node')
  const closeClusterMetrics = cluster
    ? addClusterMetrics(metrics.registry, config.CLICKHOUSE_URL ?? '', cluster, onRefusal)
    : async () => {}
  const writerOf = (own: Database, shard?: number) =>
    cluster && shard !== undefined
      ? clickHouseReportWriter(own, (signal) => untilInStep(cluster, shard, signal))
      : clickHouseReportWriter(own)
  /** A replica has its parts from the others, so that on a cluster no block is restored. */
  async function spoolOf(shard?: number) {
    if (cluster) return { spool: await openSpool(spoolFolder(config.DATA_DIR, shard)) }
    const spool = await openSpool(spoolFolder(config.DATA_DIR), storedFolder(config.DATA_DIR))
    const restore = createRestoreBlocks({
      database,
      spool,
      writer: writerOf(database),
      logSteps: logImportSteps(database),
      // No insert of before the restart begins after it.
      settle: settleInsert(database, { lateMs: 0 }),
      readBoot: readBoot ?? createBootReader(database, () => log.warn(bootUnknown)),
      onRestore: logRestored(log, metrics),
    })
    return { spool, restore }
  }
  async function open(shard?: number) {
    const own = shard === undefined ? database : (cluster?.entry(shard) ?? database)
    return createReportStore({
      ...blocks,
      ...(await spoolOf(shard)),
      writer: writerOf(own, shard),
      logSteps: logImportSteps(own),
      settle: settleInsert(own),
      onFlush: metrics.observeFlush,
      onOutage: logStoreOutage(log, shard === undefined ? 'ClickHouse' : `ClickHouse shard ${shard}`),
      onRefusal: (token, err) => log.error({ token, err }, 'ClickHouse refused a block; it is set aside'),
      onUnreadable: (token) => log.error({ token }, 'Failed to read a block; it is set aside'),
    })
  }
  const onNewShard = (shard: number) =>
    log.warn({ shard }, 'A shard was added: add its servers to CLICKHOUSE_URL and restart the collector')
  const store = cluster
    ? await openShardStores(cluster.shardCount, open, (tenantId) => shardOfTenant(cluster, tenantId), onNewShard)
    : await open()
  store.sendLeftovers()
  const budgets = await openBudgets(config, log, metrics.countRedisFault)
  database.observe({ onPoolWait: metrics.observePoolWait, onFault: metrics.countClickHouseFault })
  const { COLLECTOR_PORT, HOST, SITE_POSTS_PER_MINUTE } = config
  const parts = watchParts(database, log)
  let isStopping = false
  const app = createCollector({
    database,
    budgets,
    store,
    metrics,
    log,
    postsPerMinute: SITE_POSTS_PER_MINUTE,
    siteTtlMs,
    isStopping: () => isStopping,
    arePartsSound: parts.isSound,
    hasOwnMetricsPort: config.COLLECTOR_METRICS_PORT !== undefined,
  })
  if (tryPage) mountTryPage(app, tryPage)
  mount?.(app)
  let metricsListener: Listener | undefined
  try {
    metricsListener = await listenForMetrics(config, 'COLLECTOR_METRICS_PORT', metrics.registry)
    const listener = await listen(app, COLLECTOR_PORT, HOST, {
      variable: 'COLLECTOR_PORT',
      allowHalfOpen: true,
      limits: { keepAliveTimeoutMs: config.KEEP_ALIVE_SECONDS * 1_000 },
      onProblem: ({ requestId, status }) => log.info({ requestId, status }, 'request'),
    })
    return {
      url: listener.url,
      async stop() {
        isStopping = true
        parts.stop()
        store.hurry()
        await listener.stop(config.DRAIN_SECONDS)
        await store.close()
        await metricsListener?.stop()
        await closeClusterMetrics()
        await budgets.close()
      },
    }
  } catch (error) {
    parts.stop()
    await metricsListener?.stop()
    await store.close()
    await closeClusterMetrics()
    await budgets.close()
    throw error
  }
}
