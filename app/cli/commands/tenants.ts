import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { entitlements, type PlanOverrides, planNames, planOverrides } from '../../../schema/plans.ts'
import { option } from '../arguments.ts'
import type { Context } from '../context.ts'
import { name } from '../shared-arguments.ts'
import { subcommand } from '../subcommand.ts'

const plan = option('--plan <PLAN>', {
  about: 'The plan',
  takes: `one of ${planNames.join(', ')}`,
  schema: z.enum(planNames),
}).makeOptionMandatory()

function override<Flags extends string>(
  flags: Flags,
  cell: Exclude<keyof PlanOverrides, 'capabilities'>,
  about: string,
) {
  const bounds = planOverrides.shape[cell].unwrap()
  return option(flags, {
    about: `${about} (default: the plan's)`,
    takes: `a whole number from ${bounds.minValue} to ${bounds.maxValue}`,
    schema: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number)
      .pipe(bounds),
  })
}

export function addTenants(program: Command, context: Context): void {
  const tenants = subcommand(program, 'tenants', { about: 'Tenants' })

  subcommand(tenants, 'create', {
    about: 'Make a tenant and print its id',
    examples: [
      'tenants create --name "Example Ltd" --plan business',
      'tenants create --name "Example Ltd" --plan enterprise --retention-days 400 --key-limit 2000',
    ],
  })
    .addOption(name)
    .addOption(plan)
    .addOption(override('--retention-days <N>', 'retentionDays', 'Days that reports are kept and can be read'))
    .addOption(override('--key-limit <N>', 'keyLimit', 'Requests a minute of one key'))
    .addOption(override('--tenant-limit <N>', 'tenantLimit', 'Requests a minute of all keys together'))
    .action(async ({ name, plan, ...overrides }) => {
      const { writer } = await context.database()
      const id = randomUUID()
      const created = { overrides: JSON.stringify(overrides), created_at: toClickHouseTime(new Date()) }
      await insertRows(writer, 'tenants', [{ id, name, plan, ...created }])
      if (!entitlements(plan, overrides).capabilities.includes('api')) {
        context.log(`The ${plan} plan has no API access: its keys read /v1/me only`)
      }
      context.finish({ id })
    })
}
