import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { sql } from '../../queries/sql/sql.ts'

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

/** Without a tenant, so it has rows only for a user without row policies. */
const findForeignReport: Query<{ found: number }> = {
  name: 'findForeignReport',
  statement: sql`SELECT 1 AS found FROM reports LIMIT 1`,
  row: z.object({ found: z.number() }),
}

const nobody = '00000000-0000-0000-0000-000000000000'

export const withoutPolicies = {
  found: 'ClickHouse does not limit the user reader to the tenant of each request',
  fix: 'give ClickHouse the <databases> of the user reader in clickhouse/server/users.xml',
}

/** True if no report of a tenant is read in the name of another; also true without reports. Rejects like `read`. */
export async function isLimitedToTenants(database: Pick<Database, 'read'>): Promise<boolean> {
  const origin = { endpoint: 'users', tenantId: nobody, requestId: randomUUID() }
  return (await database.read(findForeignReport, { origin })).length === 0
}

/** Logs what a server with an earlier users.xml lacks; the API is served nevertheless. Never rejects. */
export async function warnOfPolicies(database: Pick<Database, 'read'>, log: Logger): Promise<void> {
  // An outage is logged separately.
  if (await isLimitedToTenants(database).catch(() => true)) return
  log.warn({ fix: withoutPolicies.fix }, withoutPolicies.found)
}
