import type { Logger } from 'pino'
import type { CollectorMetrics } from './collector-metrics.ts'
import type { Restored } from './restore-blocks.ts'

/** A line when blocks begin to be restored after a power cut, and one of what ClickHouse had lost. */
export function logRestored(log: Logger, metrics: Pick<CollectorMetrics, 'countRestored'>) {
  return (restored: Restored | 'begins'): void => {
    if (restored === 'begins') {
      log.warn('The machine of ClickHouse started anew: what it lost is restored, and posts are 503 until it is')
      return
    }
    metrics.countRestored(restored.reports)
    log.warn(restored, 'ClickHouse has what it had before its machine started anew')
    if (restored.unsettled.length > 0) {
      const { unsettled } = restored
      log.error({ unsettled }, 'Rollups could not be counted beside other inserts; "rollups check" compares them')
    }
  }
}
