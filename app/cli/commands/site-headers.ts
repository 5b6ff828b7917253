import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { formatHeaders, headerFormats } from '../../../schema/header-formats.ts'
import { siteAddress } from '../../collector/site-address.ts'
import { collectorAddress } from '../../config.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireSites } from '../command/require-tenant.ts'
import { site, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

export const collectorUrl = option('--collector <URL>', {
  about: 'Public URL of the collector (default: COLLECTOR_URL; without CLICKHOUSE_URL, COLLECTOR_PORT on this machine)',
  takes: 'a URL such as https://reports.example.com',
  schema: collectorAddress,
})

const format = option('--format <FORMAT>', {
  about: 'Print web server configuration instead of JSON',
  takes: `one of ${Object.keys(headerFormats).join(', ')}`,
  schema: z.enum(Object.keys(headerFormats) as (keyof typeof headerFormats)[]),
})

const unknownAddress = 'The URL of the collector is unknown: set COLLECTOR_URL or use --collector'

const nameAndValue = (line: string) => {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon), line.slice(colon + 2)] as const
}

/** A site's reporting URL for JSON output; only its token if the collector's URL is unknown. */
export function printedAddress(context: Context, token: string, collector = context.collectorUrl()): object {
  if (collector !== undefined) return siteAddress(collector, token)
  context.log(`${unknownAddress}; then "sites headers" prints the headers`)
  return { token }
}

export function addSiteHeaders(sites: Command, context: Context): void {
  subcommand(sites, 'headers', {
    about: "Print a site's reporting URL and the response headers to set",
    notes: [
      'If the site already has a Content-Security-Policy-Report-Only, add the printed report-uri and report-to to it.',
      'nginx does not inherit add_header into a block with its own add_header: repeat the headers there.',
    ],
    examples: ['sites headers --tenant ID --site ID', 'sites headers --tenant ID --site ID --format nginx'],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(collectorUrl)
    .addOption(format)
    .action(async ({ tenant, site, collector = context.collectorUrl(), format }) => {
      if (collector === undefined) throw new Error(unknownAddress)
      const { reader } = await context.database()
      const { token = '' } = (await requireSites(reader, tenant, site)).find(({ id }) => id === site) ?? {}
      const address = siteAddress(collector, token)
      if (format) context.stdout.write(formatHeaders(headerFormats[format], address.headers.map(nameAndValue)))
      else context.finish({ id: site, ...address })
    })
}
