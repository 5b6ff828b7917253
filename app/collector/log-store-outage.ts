import type { Logger } from 'pino'
import type { OnOutage } from '../../queries/clickhouse/circuit-breaker.ts'
import { logOutage, reasonOf } from '../program/log-outage.ts'
import { SpoolError } from './spool.ts'

/** One line when blocks cannot be stored and one when they can, which name the folder of the blocks or ClickHouse. */
export function logStoreOutage(log: Logger, clickHouse: string): OnOutage {
  const ofClickHouse = logOutage(log, clickHouse)
  let isOfSpool = false
  return (error) => {
    if (error) isOfSpool = error instanceof SpoolError
    if (!isOfSpool) ofClickHouse(error)
    else if (error) log.error({ reason: reasonOf(error) }, 'Failed to write blocks to DATA_DIR/collector')
    else log.info('Writing blocks to DATA_DIR/collector works again')
  }
}
