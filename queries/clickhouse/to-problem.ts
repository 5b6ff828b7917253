import { ClickHouseError } from '@clickhouse/client'
import { Problem } from '../../schema/problems.ts'
import { passingErrors } from './transient-errors.ts'
import { CallerLeft } from './with-timeout.ts'

/** What comes of asking a store: one that is away, cut short, overloaded or not set up yet is unavailable. */
export function toProblem(error: unknown): unknown {
  const ours = error instanceof ClickHouseError && !passingErrors.has(error.code)
  if (ours || error instanceof CallerLeft) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
