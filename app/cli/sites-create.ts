import { randomUUID } from 'node:crypto'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { sitesByPattern } from '../import/host-patterns.ts'
import { hosts, name, tenant } from './argument-shapes.ts'
import { command } from './command.ts'
import { requireSites, requireTenant } from './require-tenant.ts'

/** `sites create` */
export const sitesCreate = command({
  about: 'Make a site of a tenant and print its id',
  arguments: { tenant, name, host: hosts },
  notes: [
    'A report goes to the site that has the host of its URL; a host of its own wins over *. of a parent.',
    'A host belongs to one site of a tenant, with all its ports.',
  ],
  examples: ['sites create --tenant ID --name Shop --host shop.example.com --host "*.shop.example.com"'],
  async run(values, context) {
    const { reader, writer } = await context.engine()
    await requireTenant(reader, values.tenant)
    const taken = sitesByPattern(await requireSites(reader, values.tenant, undefined))
    for (const host of values.host) {
      const owner = taken.get(host)
      if (owner !== undefined) throw new Error(`The tenant's site ${owner} has the host ${host} already`)
    }
    const id = randomUUID()
    const site = { id, tenant_id: values.tenant, name: values.name, hosts: values.host }
    await insertRows(writer, 'sites', [{ ...site, created_at: toClickHouseTime(new Date()) }])
    return { answer: { id } }
  },
})
