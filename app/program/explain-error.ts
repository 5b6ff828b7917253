import { Problem } from '../../schema/problems.ts'
import { explainSystemError } from './system-error.ts'

/** ClickHouse's parser lists every keyword that could follow, 40 of them at the start of a statement. */
const expectedKeywords = / Expected one of: .*$/s

/** The message of an error's first cause, in one sentence. */
export function explainError(error: unknown): string {
  if (error instanceof Problem && error.cause !== undefined) return explainError(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return explainError(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return explainSystemError(error) ?? (error.message.replace(expectedKeywords, '').trim() || error.name)
}
