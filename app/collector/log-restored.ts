import type { Logger } from 'pino'
import type { CollectorMetrics } from './collector-metrics.ts'
import type { Restored } from './restore-blocks.ts'

/** Logs blocks that were looked up by id, such as after a power cut. */
export function logRestored(log: Logger, metrics: Pick<CollectorMetrics, 'countRestored'>) {
  return ({ blocks, reports, correctedDays, unsettled }: Restored): void => {
    metrics.countRestored(reports)
    log.warn({ blocks, reports, correctedDays }, 'Looked up blocks by id and stored the reports that ClickHouse lacked')
    if (unsettled.length > 0) {
      log.error(
        { unsettled },
        'Failed to recount rollups because of concurrent inserts; they may differ: run "rollups check"',
      )
    }
  }
}
