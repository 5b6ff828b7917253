import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import { hourMs } from '../../schema/durations.ts'
import type { Config } from '../config.ts'
import { mountHealth } from '../http/health.ts'
import { observe } from '../http/observe.ts'
import { listenForMetrics } from '../http/serve-metrics.ts'
import { type AlertLoop, alertSettings, runAlerts } from './alerts/run-alerts.ts'
import { openCopies } from './captures/copies.ts'
import { type CaptureLoop, runCaptures } from './captures/run-captures.ts'
import { runForgetIssues } from './forget-issues.ts'
import { runLibraries } from './libraries/run-libraries.ts'
import { sourceSettings } from './libraries/source-request.ts'
import type { IntervalOf } from './scans/list-due-pages.ts'
import { runScans, type ScanLoop } from './scans/run-scans.ts'
import { scanSettings } from './scans/store-scan.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

export interface WorkerOptions extends Partial<Pick<ScanLoop, 'settings' | 'lookEveryMs' | 'lease' | 'metrics'>> {
  /** SCAN_EVERY_HOURS by default. */
  readonly intervalOf?: IntervalOf | undefined
  readonly capturesOf?: CaptureLoop['capturesOf']
  readonly alerts?: Partial<Pick<AlertLoop, 'now'>>
  /** On a cluster, the databases of the shards' own tables; by default the same. */
  readonly shards?: () => readonly Database[]
}

/** @param database as the writer; the caller closes it. `stop` gives scans and sends DRAIN_SECONDS to end. */
export async function startWorker(config: Config, database: Database, log: Logger, options: WorkerOptions = {}) {
  const { SCAN_EVERY_HOURS, DRAIN_SECONDS, LIBRARY_SOURCES: sources } = config
  const { metrics = createWorkerMetrics(), lookEveryMs = 15_000, lease } = options
  const [stopping, cut] = [new AbortController(), new AbortController()]
  const listener = await listenForMetrics(config, 'WORKER_METRICS_PORT', metrics.registry, {
    mount(app) {
      app.use(observe(metrics, log))
      mountHealth(app, database, undefined, { isStopping: () => stopping.signal.aborted })
    },
  })
  const loop: ScanLoop = {
    database,
    metrics,
    log,
    lookEveryMs,
    stopping: stopping.signal,
    cut: cut.signal,
    copies: openCopies(config.DATA_DIR),
    settings: options.settings ?? scanSettings(config),
    intervalOf: options.intervalOf ?? (() => SCAN_EVERY_HOURS * hourMs),
    lease: { pollMs: 5_000, ...lease },
  }
  // A pass reads every version of a day, and none is urgent.
  const captures: CaptureLoop = { ...loop, lookEveryMs: 4 * lookEveryMs, capturesOf: options.capturesOf }
  const libraries = { ...captures, lookEveryMs: 20 * lookEveryMs, sources, settings: sourceSettings(config) }
  if (sources.length > 0)
    log.info({ sources }, 'Library databases receive names and versions of libraries, but no URLs or hashes')
  const running = Promise.all([
    ...(SCAN_EVERY_HOURS === 0 ? [] : [runScans(loop), runCaptures(captures)]),
    ...(sources.length === 0 ? [] : [runLibraries(libraries)]),
    runForgetIssues({ ...captures, shards: options.shards ?? (() => [database]) }),
    runAlerts({ ...loop, ...alertSettings(config), now: () => new Date(), ...options.alerts }),
  ])
  return {
    async stop(): Promise<void> {
      stopping.abort()
      const timer = setTimeout(() => cut.abort(), DRAIN_SECONDS * 1000)
      await running
      clearTimeout(timer)
      await listener?.stop()
    },
  }
}
