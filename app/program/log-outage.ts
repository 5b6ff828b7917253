import type { Logger } from 'pino'

const maxLength = 200

/** First line of the innermost cause's message: a stack a request would fill a disk during an outage. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  const { message, code = error.name } = error as NodeJS.ErrnoException
  return (message.split('\n')[0] || code).slice(0, maxLength)
}

/** One line when an outage begins, and one when it ends. */
export const logOutage = (log: Logger, name: string) => (error: Error | undefined) =>
  error ? log.error({ reason: reasonOf(error) }, `${name} does not respond`) : log.info(`${name} responds again`)

/** @param how its signal, its exit code, or that it could not write. */
export const logEngineDeath = (log: Logger) => (how: string) =>
  log.error({ reason: how }, 'The embedded ClickHouse exited; restarting it')
