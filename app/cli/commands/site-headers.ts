import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { formatHeaders, headerFormats } from '../../../schema/header-formats.ts'
import {
  defaultHeaderKinds,
  type HeaderKindName,
  headerKindNames,
  headerKinds,
  reportingHeaders,
  restrictsScripts,
} from '../../../schema/reporting-headers.ts'
import { parsePolicy } from '../../../schema/rules/csp/parse-policy.ts'
import { reportUrlOf, siteAddress } from '../../collector/site-address.ts'
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

export const types = option('--types <TYPES>', {
  about: `Kinds of reports that the headers ask for (default: ${defaultHeaderKinds.join(',')})`,
  takes: `all, or of ${headerKindNames.join(', ')}, separated by commas`,
  schema: z
    .string()
    .transform((text) => (text === 'all' ? headerKindNames : text.split(',')))
    .pipe(z.array(z.enum(headerKindNames))),
})

const headerLine = /^(?:(Content-Security-Policy(?:-Report-Only)?):)?(.*)$/is

const addTo = option('--add-to <POLICY>', {
  about: 'Existing policy of the site: print it with reporting added, instead of a second policy',
  takes: `a policy such as "script-src 'self'", or its header line "Content-Security-Policy-Report-Only: …"`,
  schema: z
    .string()
    .max(8_192)
    .transform((line) => {
      const [, name, value = ''] = headerLine.exec(line) ?? []
      return { isReportOnly: name?.toLowerCase().endsWith('report-only') ?? false, value: value.trim() }
    })
    .refine(({ value }) => parsePolicy(value).size > 0),
})

const path = option('--path <PATH>', {
  about: "Path on the site's own host that is forwarded to the collector: print URLs without a host",
  takes: 'a path such as /r',
  schema: z.string().regex(/^(\/[\w.~-]+)+$/),
})

/** Kinds whose number of reports grows with the page's resources; each line says which type to sample. */
const costNotes = (kinds: readonly HeaderKindName[]): string[] =>
  kinds.filter((kind) => !defaultHeaderKinds.includes(kind)).map((kind) => `${kind}: ${headerKinds[kind].about}`)

/** A site's reporting URL for JSON output; only its token if the collector's URL is unknown. */
export function printedAddress(
  context: Context,
  token: string,
  collector = context.collectorUrl(),
  kinds: readonly HeaderKindName[] = defaultHeaderKinds,
): object {
  if (collector === undefined) {
    context.log(`${unknownAddress}; then "sites headers" prints the headers`)
    return { token }
  }
  for (const note of costNotes(kinds)) context.log(note)
  return siteAddress(reportUrlOf(collector, token), token, kinds)
}

export function addSiteHeaders(sites: Command, context: Context): void {
  subcommand(sites, 'headers', {
    about: "Print a site's reporting URL and the response headers to set",
    notes: [
      'None of them blocks anything. Kinds that are not in the default cost reports with every page view:',
      ...costNotes(headerKindNames).map((note) => `- ${note}`),
      'nginx does not inherit add_header into a block with its own add_header: repeat the headers there.',
    ],
    examples: [
      'sites headers --tenant ID --site ID --format nginx',
      `sites headers --tenant ID --site ID --types all --add-to "default-src 'self'; img-src *"`,
      'sites headers --tenant ID --site ID --path /r --format caddy',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(collectorUrl)
    .addOption(path)
    .addOption(types)
    .addOption(addTo)
    .addOption(format)
    .action(async ({ tenant, site, collector = context.collectorUrl(), path, types, addTo, format }) => {
      if (path === undefined && collector === undefined) throw new Error(unknownAddress)
      if (addTo && types?.includes('scripts') && !restrictsScripts(addTo.value)) {
        throw new Error('The policy of --add-to restricts no scripts, so it cannot report their hashes: add script-src')
      }
      const { reader } = await context.database()
      const { token = '' } = (await requireSites(reader, tenant, site)).find(({ id }) => id === site) ?? {}
      for (const note of costNotes(types ?? [])) context.log(note)
      const [group] = parsePolicy(addTo?.value ?? '').get('report-to') ?? []
      if (group) context.log(`report-to ${group} is replaced: a browser sends to one endpoint; report-uri stays`)
      const reportUrl = path === undefined ? reportUrlOf(collector ?? '', token) : `${path}/${token}`
      if (format) {
        context.stdout.write(formatHeaders(headerFormats[format], reportingHeaders(reportUrl, types, addTo)))
      } else context.finish({ id: site, ...siteAddress(reportUrl, token, types, addTo) })
    })
}
