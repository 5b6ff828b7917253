import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { normalisePattern, sitesByPattern } from '../../import/normalise/host-patterns.ts'
import { repeatableOption } from '../arguments.ts'
import type { Context } from '../context.ts'
import { requireSites, requireTenant } from '../require-tenant.ts'
import { name, tenant } from '../shared-arguments.ts'
import { subcommand } from '../subcommand.ts'

const hostPattern = /^(\*\.)?([^\s/?#@\\*:[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i
const hostName = /^(\*\.)?((?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*|\[[0-9a-f:.]+\])$/

/** Host pattern as URLs write it: lower case, ASCII, no port. */
const host = repeatableOption('--host <HOST>', {
  about: "Host of the site's pages",
  takes: 'a host name such as www.example.com, or *.example.com for every subdomain',
  schema: z.string().regex(hostPattern).transform(normalisePattern).pipe(z.string().max(253).regex(hostName)),
}).makeOptionMandatory()

export function addSites(program: Command, context: Context): void {
  const sites = subcommand(program, 'sites', { about: 'Sites of a tenant' })

  subcommand(sites, 'create', {
    about: 'Make a site of a tenant and print its id',
    notes: [
      'A report goes to the site that has the host of its URL; a host of its own wins over *. of a parent.',
      'A host belongs to one site of a tenant, with all its ports.',
    ],
    examples: ['sites create --tenant ID --name Shop --host shop.example.com --host "*.shop.example.com"'],
  })
    .addOption(tenant)
    .addOption(name)
    .addOption(host)
    .action(async ({ tenant, name, host }) => {
      const { reader, writer } = await context.database()
      await requireTenant(reader, tenant)
      const taken = sitesByPattern(await requireSites(reader, tenant, undefined))
      const hosts = [...new Set(host)]
      for (const each of hosts) {
        const owner = taken.get(each)
        if (owner !== undefined) throw new Error(`The tenant's site ${owner} has the host ${each} already`)
      }
      const id = randomUUID()
      const site = { id, tenant_id: tenant, name, hosts }
      await insertRows(writer, 'sites', [{ ...site, created_at: toClickHouseTime(new Date()) }])
      context.finish({ id })
    })
}
