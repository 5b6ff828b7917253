import { Problem } from '../../../schema/problems.ts'

/** The message of an error's first cause, in one line. */
export function explainError(error: unknown): string {
  if (error instanceof Problem && error.cause !== undefined) return explainError(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return explainError(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.message.trim() || (error as NodeJS.ErrnoException).code || error.name
}
