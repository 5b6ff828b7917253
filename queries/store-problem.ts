import { ClickHouseError } from '@clickhouse/client'
import { Problem } from '../schema/problems.ts'
import { CallerLeft } from './attempts.ts'
import { passingErrors } from './passing-errors.ts'

/** A store that is away, cut short, overloaded or not set up yet is unavailable; anything else is our defect. */
export function toProblem(error: unknown): unknown {
  const ours = error instanceof ClickHouseError && !passingErrors.has(error.code)
  const shape = error instanceof Error && error.name === 'ZodError'
  if (ours || shape || error instanceof Problem || error instanceof CallerLeft) return error
  return new Problem('upstream_unavailable', undefined, { cause: error })
}
