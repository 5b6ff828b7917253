import { randomUUID } from 'node:crypto'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { entitlements } from '../../schema/plans.ts'
import { name, overrideOf, plan } from './argument-shapes.ts'
import { command } from './command.ts'

/** `tenants create` */
export const tenantsCreate = command({
  about: 'Make a tenant and print its id',
  arguments: {
    name,
    plan,
    'retention-days': overrideOf('retentionDays', 'Days that reports are kept and can be read'),
    'key-limit': overrideOf('keyLimit', 'Requests a minute of one key'),
    'tenant-limit': overrideOf('tenantLimit', 'Requests a minute of all keys together'),
  },
  examples: [
    'tenants create --name "Example Ltd" --plan business',
    'tenants create --name "Example Ltd" --plan enterprise --retention-days 400 --key-limit 2000',
  ],
  async run(values, context) {
    const { writer } = await context.engine()
    const id = randomUUID()
    const overrides = {
      retentionDays: values['retention-days'],
      keyLimit: values['key-limit'],
      tenantLimit: values['tenant-limit'],
    }
    const { name, plan } = values
    const created = { overrides: JSON.stringify(overrides), created_at: toClickHouseTime(new Date()) }
    await insertRows(writer, 'tenants', [{ id, name, plan, ...created }])
    if (!entitlements(values.plan, overrides).capabilities.includes('api')) {
      context.say(`The ${values.plan} plan has no API access: its keys read /v1/me only`)
    }
    return { answer: { id } }
  },
})
