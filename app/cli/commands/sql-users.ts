/** @module Users of ClickHouse that read one tenant. */

import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { userName } from '../../../clickhouse/sql-users.ts'
import { nodeUrls } from '../../../queries/clickhouse/nodes.ts'
import { explainError } from '../../program/explain-error.ts'
import { listSqlUsers, removeSqlUsers, storeSqlUser } from '../../tenants/sql-users.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant } from '../command/require-tenant.ts'
import { anyTenant, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const name = option('--name <NAME>', {
  about: 'Name of the user within the tenant',
  takes: '1 to 32 lower-case letters, digits and underscores',
  schema: z.string().regex(/^[a-z0-9_]{1,32}$/),
}).makeOptionMandatory()

export function addSqlUsers(tenants: Command, context: Context): void {
  const users = subcommand(tenants, 'sql-user', { about: 'Users of ClickHouse that read one tenant with SQL' })
  for (const add of [addCreate, addList, addRotate, addRemove]) add(users, context)
}

function addCreate(users: Command, context: Context): void {
  subcommand(users, 'create', {
    about: 'Create a user that reads one tenant with SQL, and print its password; it is shown only once',
    notes: [
      'The user reads reports_named, reports_per_hour_named, issues_per_day_named and their tables: only rows of the tenant, read-only, at',
      'most 30 s (120 s if set), 2 GB of memory, 1,000,000 rows and 5 statements at once, 10,000 statements and 3,600 s per hour.',
      "Needs a ClickHouse server of this project's users.xml, release 26.7.6 or newer, and CLICKHOUSE_URL of the user writer.",
      'Safe to interrupt: every server has the row policies before it has the user. Run "rotate" to continue.',
    ],
    examples: ['tenants sql-user create --tenant ID --name grafana'],
  })
    .addOption(tenant)
    .addOption(name)
    .action(async ({ tenant, name }) => {
      const { access, user, exists } = await openUser(context, tenant, name)
      if (exists) throw new Error(`The user ${user} exists: use "rotate" for a new password, or another --name`)
      await storeAndPrint(context, access, user)
    })
}

function addList(users: Command, context: Context): void {
  subcommand(users, 'list', {
    about: 'Print the SQL users of a tenant, or of all',
    examples: ['tenants sql-user list', 'tenants sql-user list --tenant ID'],
  })
    .addOption(anyTenant)
    .action(async ({ tenant }) => {
      const users = await listSqlUsers(await openServers(context), tenant).catch(explainRefusal)
      context.finish({ users })
    })
}

function addRotate(users: Command, context: Context): void {
  subcommand(users, 'rotate', {
    about: 'Give a SQL user a new password and print it; it is shown only once',
    notes: ['The old password is rejected at once. Also stores the user on new or replaced servers of a cluster.'],
    examples: ['tenants sql-user rotate --tenant ID --name grafana'],
  })
    .addOption(tenant)
    .addOption(name)
    .action(async ({ tenant, name }) => {
      const { access, user } = await requireSqlUser(context, tenant, name)
      await storeAndPrint(context, access, user)
    })
}

function addRemove(users: Command, context: Context): void {
  subcommand(users, 'remove', {
    about: 'Remove a SQL user; ClickHouse rejects its next statement',
    examples: ['tenants sql-user remove --tenant ID --name grafana'],
  })
    .addOption(tenant)
    .addOption(name)
    .action(async ({ tenant, name }) => {
      const { access, user } = await requireSqlUser(context, tenant, name)
      await removeSqlUsers(access, [user]).catch(explainRefusal)
      context.finish({ user })
    })
}

async function openServers(context: Context) {
  if (context.config().CLICKHOUSE_URL) return context.database()
  throw new Error(
    'The embedded engine cannot store users: set CLICKHOUSE_URL to a ClickHouse server, or read all tenants with "sql"',
  )
}

async function openUser(context: Context, tenantId: string, name: string) {
  await openServers(context)
  const access = await openTenant(context, tenantId)
  const users = await listSqlUsers(access, tenantId).catch(explainRefusal)
  return { access, user: userName(tenantId, name), exists: users.some((user) => user.name === name) }
}

async function requireSqlUser(context: Context, tenantId: string, name: string) {
  const found = await openUser(context, tenantId, name)
  if (!found.exists) throw new Error(`There is no user ${found.user}: see "tenants sql-user list"`)
  return found
}

async function storeAndPrint(context: Context, access: Parameters<typeof storeSqlUser>[0], user: string) {
  const password = await storeSqlUser(access, user).catch(explainRefusal)
  context.log('Save the password: it is not shown again')
  const [url = ''] = nodeUrls(context.config().CLICKHOUSE_URL ?? '')
  context.finish({ user, password, ...connectionOf(new URL(url), user) })
}

/** Settings of clients, without the password. */
function connectionOf({ protocol, hostname, host, port, pathname }: URL, user: string) {
  const secure = protocol === 'https:'
  const database = pathname.slice(1) || 'default'
  const address = `${protocol}//${host}/?database=${database}`
  return {
    url: address,
    curl: `curl --user '${user}' '${address}' --data 'SELECT count() FROM reports_named'`,
    dbeaver: { driver: 'ClickHouse', url: `jdbc:clickhouse:${protocol}//${host}/${database}`, user },
    grafana: {
      plugin: 'grafana-clickhouse-datasource',
      protocol: 'http',
      server: hostname,
      port: Number(port || (secure ? 443 : 80)),
      secure,
      defaultDatabase: database,
      username: user,
    },
  }
}

/** ACCESS_DENIED, UNKNOWN_ROLE, THERE_IS_NO_PROFILE, and an access storage that is missing or read-only. */
const refusals = new Set(['497', '511', '180', '514', '495'])

function explainRefusal(error: Error & { readonly code?: string; readonly cause?: { readonly code?: string } }): never {
  if (!refusals.has(String(error.cause?.code ?? error.code))) throw error
  throw new Error(
    `ClickHouse cannot store SQL users: give every server this release's clickhouse/server/users.xml, and CLICKHOUSE_URL the user writer. ${explainError(error)}`,
    { cause: error },
  )
}
