import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import {
  sql,
  text as textParameter,
  texts,
  toClickHouseTime,
  uint,
  uuid as uuidParameter,
} from '../../../queries/sql/sql.ts'
import { listSites, type Site } from '../../../queries/tenants/sites.ts'
import { makeSiteToken } from '../../collector/site-address.ts'
import { normalisePattern, sitesByPattern } from '../../import/normalise/host-patterns.ts'
import { deleteSite } from '../../tenants/delete-tenant.ts'
import { insertNextRow } from '../../tenants/insert-next-row.ts'
import { retireTokens } from '../../tenants/retire-tokens.ts'
import { option, repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openSite, openTenant, requireSites, requireTenant } from '../command/require-tenant.ts'
import { name, newName, requireChange, site, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { tenantList } from '../command/tenant-records.ts'
import { addSiteHeaders, collectorUrl, printedAddress, types } from './site-headers.ts'
import { maxReportsPerMinute, sample } from './site-rates.ts'
import { addSiteStatus } from './site-status.ts'
import { keep, requireNames, urlNotes, urls } from './site-urls.ts'

const hostPattern = /^(\*\.)?([^\s/?#@\\*:[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i
const hostName = /^(\*\.)?((?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*|\[[0-9a-f:.]+\])$/

/** Host pattern as URLs write it: lower case, ASCII, no port. */
const hostOption = (about: string) =>
  repeatableOption('--host <HOST>', {
    about,
    takes: 'a host name such as www.example.com, or *.example.com for every subdomain',
    schema: z.string().regex(hostPattern).transform(normalisePattern).pipe(z.string().max(253).regex(hostName)),
  })

const host = hostOption("Host of the site's pages").makeOptionMandatory()

const newHost = hostOption("Host of the site's pages; replaces all current hosts")

const confirm = option('--confirm <NAME>', {
  about: 'The name of the site, to confirm the deletion',
  takes: 'its name, or its id if an earlier deletion was interrupted',
  schema: z.string(),
}).makeOptionMandatory()

const addList = tenantList({
  about: "Print a tenant's sites, oldest first, with their hosts, tokens, sample rates and URL storage mode",
  examples: ['sites list --tenant ID'],
  field: 'sites',
  list: (read, tenant) => read(listSites(tenant)),
})

export function addSites(program: Command, context: Context): void {
  const sites = subcommand(program, 'sites', { about: 'Sites of a tenant' })
  for (const add of [addCreate, addRotateToken, addSiteHeaders, addSiteStatus, addList, addUpdate, addDelete])
    add(sites, context)
}

function addCreate(sites: Command, context: Context): void {
  subcommand(sites, 'create', {
    about: 'Create a site and print its id, its reporting URL and the response headers to set',
    notes: [
      'A report belongs to the site with the host of its URL; an exact host takes precedence over a wildcard.',
      'A host, on every port, belongs to only one site of a tenant.',
      ...urlNotes,
    ],
    examples: [
      'sites create --tenant ID --name Shop --host shop.example.com --host "*.shop.example.com"',
      'sites create --tenant ID --name Shop --host shop.example.com --sample crash=0.1 --sample deprecation=0.01',
      'sites create --tenant ID --name Shop --host shop.example.com --urls names --keep utm_source --keep page',
    ],
  })
    .addOption(tenant)
    .addOption(name)
    .addOption(host)
    .addOption(sample)
    .addOption(maxReportsPerMinute)
    .addOption(urls)
    .addOption(keep)
    .addOption(types)
    .addOption(collectorUrl)
    .action(
      async ({
        tenant,
        name,
        host,
        sample = [],
        maxReportsPerMinute = 0,
        urls = 'names',
        keep = [],
        types,
        collector,
      }) => {
        requireNames(urls, keep)
        const { reader, writer } = await openTenant(context, tenant)
        const hosts = freeHosts(host, await requireSites(reader, tenant, undefined))
        const id = randomUUID()
        const token = makeSiteToken()
        const site = { id, tenant_id: tenant, name, hosts, token, sample_rates: Object.fromEntries(sample) }
        const stored = { max_reports_per_minute: maxReportsPerMinute, urls, kept_parameters: keep }
        await insertRows(writer, 'sites', [{ ...site, ...stored, created_at: toClickHouseTime(new Date()) }])
        context.finish({ id, ...printedAddress(context, token, collector, types) })
      },
    )
}

function addRotateToken(sites: Command, context: Context): void {
  subcommand(sites, 'rotate-token', {
    about: 'Give a site a new reporting URL and print it; the old URL returns 410 within ten seconds',
    examples: ['sites rotate-token --tenant ID --site ID'],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(collectorUrl)
    .action(async ({ tenant, site, collector }) => {
      const { writer } = await openSite(context, tenant, site)
      const token = makeSiteToken()
      await retireTokens(writer, isSite(tenant, site))
      await insertNextRow(writer, 'sites', isSite(tenant, site), { token: textParameter(token) })
      context.finish({ id: site, ...printedAddress(context, token, collector) })
    })
}

function addUpdate(sites: Command, context: Context): void {
  subcommand(sites, 'update', {
    about: "Change a site's name, hosts, rates or URLs and print it; omitted values are unchanged",
    notes: [
      'The collector uses the new values within ten seconds. A rate of 1 stores all reports of a type again.',
      ...urlNotes,
      '--keep replaces all names. --urls without --keep stores no values. URLs of stored reports do not change.',
    ],
    examples: [
      'sites update --tenant ID --site ID --name Shop --host shop.example.com --host "*.shop.example.com"',
      'sites update --tenant ID --site ID --sample crash=0.1 --sample deprecation=1',
      'sites update --tenant ID --site ID --urls names --keep utm_source',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(newName)
    .addOption(newHost)
    .addOption(sample)
    .addOption(maxReportsPerMinute)
    .addOption(urls)
    .addOption(keep)
    .action(async ({ tenant, site, name, host, sample, maxReportsPerMinute, urls, keep }) => {
      const changes = { name, host, sample, maxReportsPerMinute, urls, keep }
      requireChange(changes, ['--name', '--host', '--sample', '--max-reports-per-minute', '--urls', '--keep'])
      const { reader, writer, sites: all } = await openSite(context, tenant, site)
      const others = all.filter(({ id }) => id !== site)
      const current = all.find(({ id }) => id === site)
      requireNames(urls ?? current?.urls, keep ?? [])
      const rates = { ...current?.sampleRates, ...Object.fromEntries(sample ?? []) }
      const sampled = Object.entries(rates).filter(([, rate]) => rate < 1)
      await insertNextRow(writer, 'sites', isSite(tenant, site), {
        name: name === undefined ? undefined : textParameter(name),
        hosts: host && texts(freeHosts(host, others)),
        sample_rates:
          sample &&
          sql`mapFromArrays(${texts(sampled.map(([type]) => type))},
            arrayMap(rate -> toFloat64(rate), ${texts(sampled.map(([, rate]) => String(rate)))}))`,
        max_reports_per_minute: maxReportsPerMinute === undefined ? undefined : uint(maxReportsPerMinute),
        urls: urls && textParameter(urls),
        kept_parameters: (urls ?? keep) && texts(keep ?? []),
      })
      if (urls ?? keep) {
        context.log(
          'URLs of stored reports do not change: those reports expire with their retention, or delete them with "reports delete"',
        )
      }
      context.finish((await requireSites(reader, tenant, site)).find(({ id }) => id === site) ?? {})
    })
}

function addDelete(sites: Command, context: Context): void {
  subcommand(sites, 'delete', {
    about:
      'Delete a site with its reports, records and the keys restricted to it, and print the deleted rows per table',
    notes: [
      'This cannot be undone without a backup. Within 7 seconds the API no longer finds the site and the collector rejects its',
      "reports. Pending reports are stored for 35 seconds, then the rows are deleted and the tenant's counts are corrected.",
      "The tenant's imports wait; the collector keeps running. If the command is interrupted, run it again with the site's id.",
    ],
    examples: ['sites delete --tenant ID --site ID --confirm Shop'],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(confirm)
    .action(async ({ tenant, site, confirm }) => {
      const database = await context.database()
      await requireTenant(database.writer, tenant)
      const deleted = await deleteSite(database, tenant, site, { confirm, ...context })
      context.finish({ id: site, deleted })
    })
}

const isSite = (tenant: string, site: string) =>
  sql`tenant_id = ${uuidParameter(tenant)} AND id = ${uuidParameter(site)}`

/** Each host once. Throws if another site of the tenant has one. */
function freeHosts(hosts: readonly string[], sites: readonly Site[]): string[] {
  const taken = sitesByPattern(sites)
  return [...new Set(hosts)].map((host) => {
    const owner = taken.get(host)
    if (owner !== undefined) throw new Error(`The host ${host} already belongs to the tenant's site ${owner}`)
    return host
  })
}
