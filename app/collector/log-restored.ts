import type { Logger } from 'pino'
import type { CollectorMetrics } from './collector-metrics.ts'
import type { Restored } from './restore-blocks.ts'

/** Logs the start and the result of a restore after a power cut. */
export function logRestored(log: Logger, metrics: Pick<CollectorMetrics, 'countRestored'>) {
  return (restored: Restored | 'begins'): void => {
    if (restored === 'begins') {
      log.warn("ClickHouse's machine restarted: restoring lost reports; posts get 503 until then")
      return
    }
    metrics.countRestored(restored.reports)
    log.warn(restored, 'Restored reports that ClickHouse lost when its machine restarted')
    if (restored.unsettled.length > 0) {
      const { unsettled } = restored
      log.error(
        { unsettled },
        'Failed to recount rollups because of concurrent inserts; they may differ: run "rollups check"',
      )
    }
  }
}
