import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { isNamed } from '../../../queries/clickhouse/error-codes.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { sql, text, toClickHouseTime, uuid } from '../../../queries/sql/sql.ts'
import { listKeys } from '../../../queries/tenants/keys.ts'
import { listSites } from '../../../queries/tenants/sites.ts'
import { listTenants, type Tenant } from '../../../queries/tenants/tenants.ts'
import { entitlements, planNames, planOverrides } from '../../../schema/plans.ts'
import { deleteTenant } from '../../tenants/delete-tenant.ts'
import { insertNextRow } from '../../tenants/insert-next-row.ts'
import { listSqlUsers, removeSqlUsers } from '../../tenants/sql-users.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant, requireTenant } from '../command/require-tenant.ts'
import { name, newName, requireChange, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { addSqlUsers } from './sql-users.ts'
import { addTenantShards, assignNewTenant, newTenantShard } from './tenant-shards.ts'

const planOption = () =>
  option('--plan <PLAN>', {
    about: 'The plan',
    takes: `one of ${planNames.join(', ')}`,
    schema: z.enum(planNames),
  })

/** Cells of the plan that a contract changes, with their flags. */
const cells = {
  retentionDays: { flags: '--retention-days <N>', about: 'Days for which reports are stored' },
  keyLimit: { flags: '--key-limit <N>', about: 'Requests per minute for one key' },
  tenantLimit: { flags: '--tenant-limit <N>', about: 'Requests per minute for all keys together' },
} as const

type Cell = keyof typeof cells

const boundsOf = (cell: Cell) => planOverrides.shape[cell].unwrap()

const takesNumber = (cell: Cell) => `a whole number from ${boundsOf(cell).minValue} to ${boundsOf(cell).maxValue}`

const cellSchema = (cell: Cell) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(boundsOf(cell))

const override = <Name extends Cell>(cell: Name) =>
  option<(typeof cells)[Name]['flags'], number>(cells[cell].flags, {
    about: `${cells[cell].about} (default: the plan's)`,
    takes: takesNumber(cell),
    schema: cellSchema(cell),
  })

const newOverride = <Name extends Cell>(cell: Name) =>
  option<(typeof cells)[Name]['flags'], number | 'plan'>(cells[cell].flags, {
    about: cells[cell].about,
    takes: `${takesNumber(cell)}, or plan for the plan's value`,
    schema: z.union([z.literal('plan'), cellSchema(cell)]),
  })

const confirm = option('--confirm <NAME>', {
  about: 'The name of the tenant, to confirm the deletion',
  takes: 'its name, or its id if an earlier deletion was interrupted at its last step',
  schema: z.string(),
}).makeOptionMandatory()

const withLimits = ({ plan, overrides, ...tenant }: Tenant) => ({
  ...tenant,
  plan,
  overrides,
  effective: entitlements(plan, overrides),
})

export function addTenants(program: Command, context: Context): void {
  const tenants = subcommand(program, 'tenants', { about: 'Tenants' })
  for (const add of [addCreate, addList, addShow, addUpdate, addDelete, addTenantShards, addSqlUsers])
    add(tenants, context)
}

function addCreate(tenants: Command, context: Context): void {
  subcommand(tenants, 'create', {
    about: 'Create a tenant and print its id',
    examples: [
      'tenants create --name "Example Ltd" --plan business',
      'tenants create --name "Example Ltd" --plan enterprise --retention-days 400 --key-limit 2000',
    ],
  })
    .addOption(name)
    .addOption(planOption().makeOptionMandatory())
    .addOption(override('retentionDays'))
    .addOption(override('keyLimit'))
    .addOption(override('tenantLimit'))
    .addOption(newTenantShard)
    .action(async ({ name, plan, shard, ...overrides }) => {
      const { writer, cluster } = await context.database()
      const id = randomUUID()
      await assignNewTenant(cluster, id, shard)
      const created = { overrides: JSON.stringify(overrides), created_at: toClickHouseTime(new Date()) }
      await insertRows(writer, 'tenants', [{ id, name, plan, ...created }])
      if (!entitlements(plan, overrides).capabilities.includes('api')) {
        context.log(`The ${plan} plan has no API access: its keys can read only /v1/me`)
      }
      context.finish({ id })
    })
}

function addList(tenants: Command, context: Context): void {
  subcommand(tenants, 'list', {
    about: 'Print every tenant with its plan, the values that override it, and its number of sites',
    examples: ['tenants list'],
  }).action(async () => {
    const { reader } = await context.database()
    context.finish({ tenants: await reader.read(listTenants) })
  })
}

function addShow(tenants: Command, context: Context): void {
  subcommand(tenants, 'show', {
    about: 'Print a tenant with its limits, capabilities, sites and keys',
    examples: ['tenants show --tenant ID'],
  })
    .addOption(tenant)
    .action(async ({ tenant }) => {
      const { reader, tenant: found } = await openTenant(context, tenant)
      const [sites, keys] = await Promise.all([reader.read(listSites(tenant)), reader.read(listKeys(tenant))])
      context.finish({ ...withLimits(found), sites, keys })
    })
}

function addUpdate(tenants: Command, context: Context): void {
  subcommand(tenants, 'update', {
    about: "Change a tenant's name, plan, retention or limits and print it; omitted values are unchanged",
    notes: [
      'The API and the collector use the new values within 5 seconds. A report keeps the retention it was stored with: a shorter',
      'retention hides older reports at once, a longer one applies to new reports only.',
    ],
    examples: [
      'tenants update --tenant ID --plan enterprise --retention-days 400',
      'tenants update --tenant ID --retention-days plan --key-limit plan',
      'tenants update --tenant ID --name "Example Ltd"',
    ],
  })
    .addOption(tenant)
    .addOption(newName)
    .addOption(planOption())
    .addOption(newOverride('retentionDays'))
    .addOption(newOverride('keyLimit'))
    .addOption(newOverride('tenantLimit'))
    .action(async ({ tenant, name, plan, ...changed }) => {
      requireChange({ name, plan, ...changed }, ['--name', '--plan', ...Object.values(cells).map(flagOf)])
      const { reader, writer, tenant: before } = await openTenant(context, tenant)
      const cellsNow = Object.entries({ ...before.overrides, ...changed }).filter(([, value]) => value !== 'plan')
      await insertNextRow(writer, 'tenants', sql`id = ${uuid(tenant)}`, {
        name: name === undefined ? undefined : text(name),
        plan: plan === undefined ? undefined : text(plan),
        overrides: text(JSON.stringify(Object.fromEntries(cellsNow))),
      })
      context.finish(withLimits(await requireTenant(reader, tenant)))
    })
}

function addDelete(tenants: Command, context: Context): void {
  subcommand(tenants, 'delete', {
    about: 'Delete a tenant with its rows in every table and its SQL users, and print the deleted rows per table',
    notes: [
      'This cannot be undone without a backup. It fails while an import of the tenant runs, and ends an import that follows a file',
      'or a pipe at its next batch. Within 7 seconds the API rejects its keys and the collector its sites. Pending reports are stored for',
      '35 seconds, then the rows are deleted. Run it again if it was interrupted, or if an import stored more records.',
    ],
    examples: ['tenants delete --tenant ID --confirm "Example Ltd"'],
  })
    .addOption(tenant)
    .addOption(confirm)
    .action(async ({ tenant, confirm }) => {
      const database = await context.database()
      const deleted = await deleteTenant(database, tenant, {
        confirm,
        removeUsers: async () => removeSqlUsers(database, await listSqlUsers(database, tenant).catch(withoutUsers)),
        ...context,
      })
      context.log(whatStays)
      context.finish({ id: tenant, deleted })
    })
}

/** A server that does not let the writer list users has no SQL users. */
function withoutUsers(error: unknown): [] {
  if (isNamed(error, 'ACCESS_DENIED')) return []
  throw error
}

/** Outside the tables. */
const whatStays =
  'Not deleted at once: old parts on the ClickHouse disk (up to 8 minutes), reports in DATA_DIR/collector of a stopped collector (until it starts), copies of its scripts (up to 8 days while a worker runs), log lines with its ids (until rotation), backups (until removed)'

const flagOf = ({ flags }: { readonly flags: string }) => flags.replace(/ .*/, '')
