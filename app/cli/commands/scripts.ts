import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { listCapturedHashes } from '../../../queries/scripts/captures.ts'
import { scriptStatuses } from '../../../schema/scripts.ts'
import { forgetScript } from '../../tenants/forget-script.ts'
import { openCopies } from '../../worker/captures/copies.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi } from '../command/request-api.ts'
import { openSite, openTenant } from '../command/require-tenant.ts'
import { byOption, site, tenant, whyOption } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { terminalText } from '../command/terminal-text.ts'
import { addAuthorize, addReject, hashOption, url } from './scripts-decide.ts'

const status = option('--status <STATUS>', {
  about: 'Only scripts with this status (default: all)',
  takes: `one of ${scriptStatuses.join(', ')}`,
  schema: z.enum(scriptStatuses),
})

const hash = hashOption('The bytes').makeOptionMandatory()

const listed = z.looseObject({ data: z.array(z.unknown()), nextCursor: z.unknown() })

export function addScripts(program: Command, context: Context): void {
  const scripts = subcommand(program, 'scripts', { about: "A site's scripts and decisions about them" })
  for (const add of [addList, addAuthorize, addReject, addForget, addCopy]) add(scripts, context)
}

function addList(scripts: Command, context: Context): void {
  subcommand(scripts, 'list', {
    about: "Print up to 1,000 of a site's scripts with their counts",
    examples: [
      'scripts list --tenant ID --site ID',
      'scripts list --tenant ID --site ID --status unreviewed | jq -r .scripts[].url',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(status)
    .action(async ({ tenant, site, status }) => {
      await openSite(context, tenant, site)
      const path = `/v1/sites/${site}/scripts`
      const response = await requestApi(context, { tenant }, path, { limit: '1000', status })
      const { data, nextCursor: _, ...others } = listed.parse(response)
      context.finish({ scripts: data, ...others })
    })
}

function addForget(scripts: Command, context: Context): void {
  subcommand(scripts, 'forget', {
    about: "Take a script's sightings by browsers out of the inventory and print how many versions it had",
    notes: [
      'Only a script that no complete scan and no decision has. "reports deletions" lists it with --by and --reason, without the URL.',
      'PCI reports as of an earlier time still have the script. Its stored reports stay: "reports delete" deletes them.',
      'A script that browsers report again is new.',
    ],
    examples: [
      'scripts forget --tenant ID --site ID --url https://forged.example/x.js --by ada@example.com --reason "Forged reports"',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(url)
    .addOption(byOption('Who forgets it').makeOptionMandatory())
    .addOption(whyOption('--reason <TEXT>', 'Reason, for auditors'))
    .action(async ({ tenant, site, url, by, reason }) => {
      const databases = await openSite(context, tenant, site)
      const versions = await forgetScript(databases, { tenantId: tenant, siteId: site, url, by, reason })
      context.finish({ url, versions })
    })
}

function addCopy(scripts: Command, context: Context): void {
  subcommand(scripts, 'copy', {
    about: "Print the worker's copy of a script by its hash",
    notes: [
      'A hash in "scripts list" has a copy if its capture is "captured". The worker stores copies in DATA_DIR/captures.',
    ],
    examples: ['scripts copy --tenant ID --hash sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE= > widget.js'],
  })
    .addOption(tenant)
    .addOption(hash)
    .action(async ({ tenant, hash }) => {
      const { reader } = await openTenant(context, tenant)
      const [captured] = await reader.read(listCapturedHashes([hash], tenant))
      if (!captured)
        throw new Error(`The tenant has no copy of ${hash}: "scripts list" has the capture state of each hash`)
      const { DATA_DIR } = context.config()
      const bytes = await openCopies(DATA_DIR).get(hash)
      if (!bytes) {
        throw new Error(
          `${DATA_DIR} has no copy of ${hash}: run the command on the worker's machine, with its DATA_DIR`,
        )
      }
      context.stdout.write(context.stdout.isTTY ? terminalText(bytes.toString()) : bytes)
    })
}
