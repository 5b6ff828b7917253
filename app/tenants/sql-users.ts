/** @module SQL users of tenants on a ClickHouse server, or on every server of a cluster. */

import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { requireNodes } from '../../clickhouse/cluster/tenant-shards.ts'
import * as statements from '../../clickhouse/sql-users.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { onlyRow } from '../../queries/sql/rows.ts'
import { sql, text } from '../../queries/sql/sql.ts'
import type { DatabaseAccess } from '../program/open-database.ts'

export type Servers = Pick<DatabaseAccess, 'writer' | 'cluster'>

const passwordBytes = 24

/** First release whose mergeTreeIndex() does not show the sorting keys of rows that a policy hides. */
const oldestServer = '26.7.6'

const findVersion: Query<{ version: string }> = {
  name: 'findVersion',
  statement: sql`SELECT version() AS version`,
  row: z.object({ version: z.string() }),
}

const role = text(statements.tenantRole)
const listPolicies: Query<statements.RowPolicy> = {
  name: 'listPolicies',
  statement: sql`
    SELECT database, table, select_filter AS filter
    FROM system.row_policies
    WHERE short_name = ${role} AND is_restrictive AND apply_to_list = [${role}]`,
  row: z.object({ database: z.string(), table: z.string(), filter: z.string() }),
}

const listUsers: Query<{ user: string }> = {
  name: 'listUsers',
  statement: sql`SELECT name AS user FROM system.users`,
  row: z.object({ user: z.string() }),
}

async function missingPolicies(server: Database): Promise<readonly statements.RowPolicy[]> {
  const found = new Set((await server.read(listPolicies)).map(statements.createPolicy))
  return statements.rowPolicies.filter((policy) => !found.has(statements.createPolicy(policy)))
}

/** Throws if a server lacks a row policy. */
export async function requirePolicies(server: Database): Promise<void> {
  const missing = (await missingPolicies(server)).map(({ database, table }) => `${database}.${table}`)
  if (missing.length > 0) throw new Error(`ClickHouse lacks the row policies of ${missing.join(', ')}`)
}

/** Throws if a table function of the server shows rows that a row policy hides. */
export async function requireSafeServer(server: Database): Promise<void> {
  const { version } = onlyRow(await server.read(findVersion))
  if (version.localeCompare(oldestServer, 'en', { numeric: true }) >= 0) return
  throw new Error(
    `ClickHouse ${version} shows keys of other tenants through mergeTreeIndex(): upgrade it to ${oldestServer} or newer`,
  )
}

/** Users of one tenant, or of all, on any server. Throws if a server does not respond. */
export async function listSqlUsers(servers: Servers, tenantId?: string) {
  const found = await Promise.all(serversOf(servers).map((server) => server.read(listUsers)))
  const users = [...new Set(found.flat().map(({ user }) => user))].sort()
  return users.flatMap((user) => {
    const [, id, name] = statements.userPattern.exec(user) ?? []
    return id !== undefined && id === (tenantId ?? id) ? [{ user, tenantId: id, name }] : []
  })
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
    for (const policy of await missingPolicies(server)) await server.command(statements.createPolicy(policy))
    await server.command(statements.createQuota)
  }
  for (const server of all) await requirePolicies(server)
  for (const server of all) {
    await server.command(statements.createUser, { params: { user, hash: hash('sha256', password) } })
    await server.command(statements.grantRole(user))
  }
  return password
}

/** Users that a server lacks are skipped. */
export async function removeSqlUsers(servers: Servers, users: readonly { readonly user: string }[]): Promise<void> {
  for (const server of serversOf(servers)) {
    for (const { user } of users) await server.command(statements.dropUser(user))
  }
}

function serversOf({ writer, cluster }: Servers): readonly Database[] {
  if (!cluster) return [writer]
  requireNodes(cluster)
  return cluster.nodes.map(({ use }) => use(''))
}
