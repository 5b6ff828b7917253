import type { Logger } from 'pino'
import type { CollectorMetrics } from './collector-metrics.ts'
import type { Restored } from './restore-blocks.ts'

/** Logs the start and the result of a restore after a power cut. */
export function logRestored(log: Logger, metrics: Pick<CollectorMetrics, 'countRestored'>) {
  return (restored: Restored | 'begins'): void => {
    if (restored === 'begins') {
      log.warn('The machine of ClickHouse restarted: restoring what it lost; posts get 503 until this is done')
      return
    }
    metrics.countRestored(restored.reports)
    log.warn(restored, 'What ClickHouse lost in the restart of its machine is restored')
    if (restored.unsettled.length > 0) {
      const { unsettled } = restored
      log.error(
        { unsettled },
        'Rollups could not be recounted beside other inserts and may differ: run "rollups check"',
      )
    }
  }
}
