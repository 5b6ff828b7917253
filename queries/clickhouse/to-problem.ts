import { ClickHouseError } from '@clickhouse/client'
import { Problem } from '../../schema/problems.ts'
import { transientErrors } from './transient-errors.ts'
import { ClientDisconnected } from './with-timeout.ts'

/** upstream_unavailable while ClickHouse is unreachable, overloaded or not set up; a defect of ours as it is. */
export function toProblem(error: unknown): unknown {
  const isDefect = error instanceof ClickHouseError && !transientErrors.has(error.code)
  if (isDefect || error instanceof ClientDisconnected) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
