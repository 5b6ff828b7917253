import { ClickHouseError } from '@clickhouse/client'
import { Problem } from '../schema/problems.ts'
import { CallerLeft } from './attempts.ts'

/** Conditions of the store that pass by themselves: ClickHouse's own error codes. */
const passing = new Set([
  '60', // UNKNOWN_TABLE: not migrated yet
  '81', // UNKNOWN_DATABASE: not migrated yet
  '159', // TIMEOUT_EXCEEDED
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '236', // ABORTED
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '394', // QUERY_WAS_CANCELLED
  '516', // AUTHENTICATION_FAILED: being reconfigured
])

/** A store that is away, cut short, overloaded or not set up yet is unavailable; anything else is our defect. */
export function toProblem(error: unknown): unknown {
  const ours = error instanceof ClickHouseError && !passing.has(error.code)
  const shape = error instanceof Error && error.name === 'ZodError'
  if (ours || shape || error instanceof Problem || error instanceof CallerLeft) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
