import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import type { Context } from '../command/context.ts'
import { requestApi } from '../command/request-api.ts'
import { api, site, tenantUnlessApi } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { terminalText } from '../command/terminal-text.ts'
import { collectorUrl } from './site-headers.ts'

const kind = z.object({
  kind: z.string(),
  state: z.string(),
  lastReportAt: z.string().nullable(),
  problems: z.array(z.object({ message: z.string() })),
  lines: z.array(z.string()),
})

const response = z.object({
  data: z.object({ scan: z.object({ url: z.string(), scannedAt: z.string() }).nullable(), kinds: z.array(kind) }),
})

export function addSiteStatus(sites: Command, context: Context): void {
  subcommand(sites, 'status', {
    about: "Check a site's reporting headers: per kind the last report, what a scan received, and the lines to set",
    notes: [
      'Prints the response of /v1/sites/{siteId}/setup, and a summary on stderr. Exits 1 if a header is wrong.',
      'Headers are those of the latest complete scan of a page from "pages add".',
      "Replace 'nonce-*' in a policy with the nonce of each response.",
    ],
    examples: [
      'sites status --tenant ID --site ID',
      'sites status --api https://reports.example.com --site ID --collector https://in.example.com',
    ],
  })
    .addOption(tenantUnlessApi)
    .addOption(site)
    .addOption(collectorUrl)
    .addOption(api)
    .action(async ({ site, collector = context.collectorUrl(), ...options }) => {
      const body = await requestApi(context, options, `/v1/sites/${site}/setup`, { collector })
      const { scan, kinds } = response.parse(body).data
      const log = (line: string) => context.log(terminalText(line).replaceAll('\n', ' '))
      log(scan ? `Scan of ${scan.url} at ${scan.scannedAt}` : 'No scan has recorded these headers: use "pages add"')
      for (const { kind, state, lastReportAt, problems, lines } of kinds) {
        log(`${kind}: ${state}, ${lastReportAt === null ? 'no report' : `last report ${lastReportAt}`}`)
        for (const { message } of problems) log(`  ${message}`)
        for (const line of lines) log(`  set ${line}`)
      }
      context.finish(body, kinds.some(({ state }) => state === 'wrong') ? 1 : 0)
    })
}
