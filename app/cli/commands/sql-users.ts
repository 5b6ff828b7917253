/** @module Users of ClickHouse that read one tenant. */

import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { userName } from '../../../clickhouse/sql-users.ts'
import { nodeUrls } from '../../../queries/clickhouse/nodes.ts'
import { explainError } from '../../program/explain-error.ts'
import { listSqlUsers, removeSqlUsers, type Servers, storeSqlUser } from '../../tenants/sql-users.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant } from '../command/require-tenant.ts'
import { anyTenant, tenant } from '../command/shared-arguments.ts'
import { type Help, subcommand } from '../command/subcommand.ts'

const name = option('--name <NAME>', {
  about: 'Name of the user within the tenant',
  takes: '1 to 32 lower-case letters, digits and underscores',
  schema: z.string().regex(/^[a-z0-9_]{1,32}$/),
}).makeOptionMandatory()

export function addSqlUsers(tenants: Command, context: Context): void {
  const users = subcommand(tenants, 'sql-user', { about: 'Users of ClickHouse that read one tenant with SQL' })
  const addForUser = (
    command: string,
    help: Help,
    run: (access: Servers, user: string, exists: boolean) => Promise<void>,
  ) =>
    subcommand(users, command, { ...help, examples: [`tenants sql-user ${command} --tenant ID --name grafana`] })
      .addOption(tenant)
      .addOption(name)
      .action(async ({ tenant, name }) => {
        requireServer(context)
        const access = await openTenant(context, tenant)
        const user = userName(tenant, name)
        const found = await listSqlUsers(access, tenant).catch(explainRefusal)
        const exists = found.some((other) => other.user === user)
        if (!exists && command !== 'create') throw new Error(`There is no user ${user}: see "tenants sql-user list"`)
        await run(access, user, exists).catch(explainRefusal)
      })

  async function store(access: Servers, user: string): Promise<void> {
    const password = await storeSqlUser(access, user)
    context.log('Save the password: it is not shown again')
    const [url = ''] = nodeUrls(context.config().CLICKHOUSE_URL ?? '')
    context.finish({ user, password, ...clientSettings(new URL(url), user) })
  }

  addForUser(
    'create',
    {
      about: 'Create a user that reads one tenant with SQL, and print its password; it is shown only once',
      notes: [
        'The user reads reports_named, reports_per_hour_named, issues_per_day_named and their tables: only rows of the tenant, read-only, at',
        'most 30 s (120 s if set), 2 GB of memory and 5 statements at once, and 10,000 statements and 3,600 s per hour.',
        "Needs a ClickHouse server, release 26.7.6 or newer, with this release's users.xml, and CLICKHOUSE_URL of the user writer.",
        'Safe to interrupt: every server has the row policies before it has the user. Run "create" again, or "rotate" if the user exists.',
      ],
    },
    async (access, user, exists) => {
      if (exists) throw new Error(`The user ${user} exists: use "rotate" for a new password, or another --name`)
      await store(access, user)
    },
  )
  subcommand(users, 'list', {
    about: 'Print the SQL users of a tenant, or of all',
    examples: ['tenants sql-user list'],
  })
    .addOption(anyTenant)
    .action(async ({ tenant }) => {
      requireServer(context)
      context.finish({ users: await listSqlUsers(await context.database(), tenant).catch(explainRefusal) })
    })
  addForUser(
    'rotate',
    {
      about: 'Give a SQL user a new password and print it; it is shown only once',
      notes: ['The old password is rejected at once. Also stores the user on new or replaced servers of a cluster.'],
    },
    store,
  )
  addForUser(
    'remove',
    { about: 'Remove a SQL user; ClickHouse rejects its password at once' },
    async (access, user) => {
      await removeSqlUsers(access, [{ user }])
      context.finish({ user })
    },
  )
}

function requireServer(context: Context): void {
  if (context.config().CLICKHOUSE_URL) return
  throw new Error(
    'The embedded engine cannot store users: set CLICKHOUSE_URL to a ClickHouse server, or read all tenants with "sql"',
  )
}

/** Without the password. */
function clientSettings({ protocol, hostname, host, port, pathname }: URL, username: string) {
  const secure = protocol === 'https:'
  const defaultDatabase = pathname.slice(1) || 'default'
  const url = `${protocol}//${host}/?database=${defaultDatabase}`
  const server = { server: hostname, port: Number(port || (secure ? 443 : 80)), protocol: 'http', secure }
  return {
    url,
    curl: `curl --user '${username}' '${url}' --data 'SELECT count() FROM reports_named'`,
    dbeaver: `jdbc:clickhouse:${protocol}//${host}/${defaultDatabase}`,
    grafana: { ...server, defaultDatabase, username },
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
