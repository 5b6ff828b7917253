import { ClickHouseError } from '@clickhouse/client'
import { TimedOut } from './with-timeout.ts'

/** Kinds of faults in metrics of ClickHouse and Redis: no response, no connection, or an error response. */
export type FaultKind = 'timeout' | 'connection' | 'error'

export function faultKind(error: unknown): FaultKind {
  if (error instanceof TimedOut) return 'timeout'
  const isResponse = error instanceof ClickHouseError || (error instanceof Error && error.name === 'ReplyError')
  return isResponse ? 'error' : 'connection'
}
