import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import {
  render,
  sql,
  text as textParameter,
  toClickHouseTime,
  uuid as uuidParameter,
} from '../../../queries/sql/sql.ts'
import { storedTypeNames, storedTypeRows } from '../../../schema/report-types.ts'
import { makeSiteToken, siteAddress } from '../../collector/site-address.ts'
import { normalisePattern, sitesByPattern } from '../../import/normalise/host-patterns.ts'
import { option, repeatableOption } from '../arguments.ts'
import type { Context } from '../context.ts'
import { requireSites, requireTenant } from '../require-tenant.ts'
import { name, site, tenant } from '../shared-arguments.ts'
import { subcommand } from '../subcommand.ts'

const hostPattern = /^(\*\.)?([^\s/?#@\\*:[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i
const hostName = /^(\*\.)?((?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*|\[[0-9a-f:.]+\])$/

/** Host pattern as URLs write it: lower case, ASCII, no port. */
const host = repeatableOption('--host <HOST>', {
  about: "Host of the site's pages",
  takes: 'a host name such as www.example.com, or *.example.com for every subdomain',
  schema: z.string().regex(hostPattern).transform(normalisePattern).pipe(z.string().max(253).regex(hostName)),
}).makeOptionMandatory()

const sampledTypes = storedTypeNames.filter((type) => storedTypeRows[type].sampleRate === undefined)

/** Browsers sample network errors themselves. */
const sample = repeatableOption('--sample <TYPE=RATE>', {
  about: 'Share of a type’s reports that the collector stores (default: all)',
  takes: `a rate above 0 and up to 1 for one of ${sampledTypes.join(', ')}, such as crash=0.1`,
  schema: z
    .string()
    .regex(/^[\w-]+=(1|0?\.\d{1,6})$/)
    .transform((text) => text.split('=') as [string, string])
    .refine(([type, rate]) => (sampledTypes as readonly string[]).includes(type) && Number(rate) > 0)
    .transform(([type, rate]) => [type, Number(rate)] as const),
})

const collectorUrl = option('--collector <URL>', {
  about: 'Where browsers reach the collector (default: COLLECTOR_URL, or COLLECTOR_PORT on this machine)',
  takes: 'a URL such as https://reports.example.com',
  schema: z.url({ protocol: /^https?$/ }),
})

export function addSites(program: Command, context: Context): void {
  const sites = subcommand(program, 'sites', { about: 'Sites of a tenant' })
  const address = (token: string, url = context.collectorUrl()) => siteAddress(url, token)

  subcommand(sites, 'create', {
    about: 'Make a site of a tenant and print its id, its address for reports and the headers that send them there',
    notes: [
      'A report goes to the site that has the host of its URL; a host of its own wins over *. of a parent.',
      'A host belongs to one site of a tenant, with all its ports.',
    ],
    examples: [
      'sites create --tenant ID --name Shop --host shop.example.com --host "*.shop.example.com"',
      'sites create --tenant ID --name Shop --host shop.example.com --sample crash=0.1 --sample deprecation=0.01',
    ],
  })
    .addOption(tenant)
    .addOption(name)
    .addOption(host)
    .addOption(sample)
    .addOption(collectorUrl)
    .action(async ({ tenant, name, host, sample = [], collector }) => {
      const { reader, writer } = await context.database()
      await requireTenant(reader, tenant)
      const taken = sitesByPattern(await requireSites(reader, tenant, undefined))
      const hosts = [...new Set(host)]
      for (const each of hosts) {
        const owner = taken.get(each)
        if (owner !== undefined) throw new Error(`The tenant's site ${owner} has the host ${each} already`)
      }
      const id = randomUUID()
      const token = makeSiteToken()
      const site = { id, tenant_id: tenant, name, hosts, token, sample_rates: Object.fromEntries(sample) }
      await insertRows(writer, 'sites', [{ ...site, created_at: toClickHouseTime(new Date()) }])
      context.finish({ id, ...address(token, collector) })
    })

  subcommand(sites, 'rotate-token', {
    about: 'Give a site another address for reports and print it; the one before ends within ten seconds',
    examples: ['sites rotate-token --tenant ID --site ID'],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(collectorUrl)
    .action(async ({ tenant, site, collector }) => {
      const { reader, writer } = await context.database()
      await requireSites(reader, tenant, site)
      const token = makeSiteToken()
      const { text, params } = render(sql`
        INSERT INTO sites
        SELECT * REPLACE (${textParameter(token)} AS token, now64(3) AS updated_at)
        FROM sites FINAL
        WHERE tenant_id = ${uuidParameter(tenant)} AND id = ${uuidParameter(site)}`)
      await writer.command(text, { params })
      context.finish({ id: site, ...address(token, collector) })
    })
}
