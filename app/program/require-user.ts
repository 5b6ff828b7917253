import type { Database } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'

const timeoutMs = 2_000

/** Inserts no row: ClickHouse checks the right first. Rejects if ClickHouse does not respond, or has no such table. */
export async function canWrite(database: Pick<Database, 'command'>, signal?: AbortSignal): Promise<boolean> {
  try {
    await database.command('INSERT INTO tenants SELECT * FROM tenants WHERE false', { signal })
    return true
  } catch (error) {
    if (!isNamed(error, 'READONLY', 'ACCESS_DENIED')) throw error
    return false
  }
}

/** Throws an Error of one line if CLICKHOUSE_URL names the other user. A ClickHouse that does not respond is not waited for. */
export async function requireUser(database: Pick<Database, 'command'>, user: 'reader' | 'writer'): Promise<void> {
  const writes = await canWrite(database, AbortSignal.timeout(timeoutMs)).catch(() => undefined)
  if (writes === undefined || writes === (user === 'writer')) return
  throw new Error(
    user === 'writer'
      ? 'The user in CLICKHOUSE_URL cannot write: for the collector and the worker, use the user "writer"'
      : 'The user in CLICKHOUSE_URL can write: for the API, use the user "reader", which can only read',
  )
}
