/** @module SQL users of tenants on a ClickHouse server, or on every server of a cluster. */

import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { requireNodes } from '../../clickhouse/cluster/tenant-shards.ts'
import {
  createPolicy,
  createQuota,
  createUser,
  dropUser,
  grantRole,
  oldestServer,
  type RowPolicy,
  rowPolicies,
  tenantRole,
  userPattern,
  userPrefix,
} from '../../clickhouse/sql-users.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { isNamed } from '../../queries/clickhouse/error-codes.ts'
import type { Query } from '../../queries/sql/query.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import type { DatabaseAccess } from '../program/open-database.ts'

export interface SqlUser {
  readonly user: string
  readonly tenantId: string
  /** Unique in the tenant. */
  readonly name: string
}

export type Servers = Pick<DatabaseAccess, 'writer' | 'cluster'>

const passwordBytes = 24

const findVersion: Query<{ version: string }> = {
  name: 'findVersion',
  statement: sql`SELECT version() AS version`,
  row: z.object({ version: z.string() }),
}

const listPolicies: Query<RowPolicy> = {
  name: 'listPolicies',
  statement: sql`
    SELECT database, table, select_filter AS filter
    FROM system.row_policies
    WHERE short_name = ${text(tenantRole)} AND is_restrictive AND apply_to_list = [${text(tenantRole)}]`,
  row: z.object({ database: z.string(), table: z.string(), filter: z.string() }),
}

const listUsers: Query<{ user: string }> = {
  name: 'listUsers',
  statement: sql`SELECT name AS user FROM system.users WHERE startsWith(name, ${text(userPrefix)})`,
  row: z.object({ user: z.string() }),
}

/** Row policies that a server lacks. */
export async function missingPolicies(server: Database): Promise<readonly RowPolicy[]> {
  const found = new Set((await server.read(listPolicies)).map(createPolicy))
  return rowPolicies.filter((policy) => !found.has(createPolicy(policy)))
}

/** Throws if a table function of the server shows rows that a row policy hides. */
export async function requireSafeServer(server: Database): Promise<void> {
  const [{ version } = { version: '' }] = await server.read(findVersion)
  if (version.localeCompare(oldestServer, 'en', { numeric: true }) >= 0) return
  throw new Error(
    `ClickHouse ${version} shows keys of other tenants through mergeTreeIndex(): upgrade it to ${oldestServer} or newer`,
  )
}

/** Users of one tenant, or of all, on any server. Throws if a server does not respond. */
export async function listSqlUsers(servers: Servers, tenantId?: string): Promise<SqlUser[]> {
  const found = await Promise.all(serversOf(servers).map((server) => server.read(listUsers)))
  const users = [...new Set(found.flat().map(({ user }) => user))].sort().flatMap((user) => {
    const [, tenantId, name] = userPattern.exec(user) ?? []
    return tenantId !== undefined && name !== undefined ? [{ user, tenantId, name }] : []
  })
  return users.filter((user) => user.tenantId === (tenantId ?? user.tenantId))
}

/**
 * Creates or replaces a user with a new password, which is returned. Every server has the row policies before the first
 * has the user; safe to interrupt. Throws if a server cannot store them.
 */
export async function storeSqlUser(servers: Servers, user: string): Promise<string> {
  const all = serversOf(servers)
  const password = randomBytes(passwordBytes).toString('base64url')
  for (const server of all) {
    await requireSafeServer(server)
    for (const policy of await missingPolicies(server)) await server.command(createPolicy(policy))
    await server.command(createQuota)
  }
  for (const server of all) {
    const missing = await missingPolicies(server)
    if (missing.length > 0) throw new Error(`ClickHouse did not store the row policies of ${tablesOf(missing)}`)
  }
  const params = { user, hash: hash('sha256', password) }
  for (const server of all) {
    await server.command(createUser, { params })
    await server.command(grantRole(user))
  }
  return password
}

/** Users that exist on no server are skipped. */
export async function removeSqlUsers(servers: Servers, users: readonly string[]): Promise<void> {
  for (const server of serversOf(servers)) {
    for (const user of users) await server.command(dropUser(user))
  }
}

/** Removes every user of a tenant. A server that does not let the writer list users has none. */
export async function removeUsersOfTenant(servers: Servers, tenantId: string): Promise<void> {
  const users = await listSqlUsers(servers, tenantId).catch((error: unknown) => {
    if (isNamed(error, 'ACCESS_DENIED')) return []
    throw error
  })
  await removeSqlUsers(
    servers,
    users.map(({ user }) => user),
  )
}

export const tablesOf = (policies: readonly RowPolicy[]): string =>
  policies.map(({ database, table }) => `${database}.${table}`).join(', ')

function serversOf({ writer, cluster }: Servers): readonly Database[] {
  if (!cluster) return [writer]
  requireNodes(cluster)
  return cluster.nodes.map(({ use }) => use(''))
}
