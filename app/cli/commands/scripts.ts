import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { listCapturedHashes } from '../../../queries/scripts/captures.ts'
import { listScripts } from '../../../queries/scripts/scripts.ts'
import type { ScriptDecision } from '../../../schema/responses/script.ts'
import { scriptHash } from '../../../schema/rules/scripts/script-hash.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'
import { scriptStatuses } from '../../../schema/scripts.ts'
import { scriptDecisions } from '../../import/records/types/script-decisions.ts'
import { quoteInput } from '../../pipeline/quote-input.ts'
import { forgetScript } from '../../tenants/forget-script.ts'
import { openCopies } from '../../worker/captures/copies.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi } from '../command/request-api.ts'
import { openSite, openTenant } from '../command/require-tenant.ts'
import { by, byOption, site, tenant, whyOption } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { storeDecision } from '../command/tenant-records.ts'
import { terminalText } from '../command/terminal-text.ts'

const status = option('--status <STATUS>', {
  about: 'Only scripts with this status (default: all)',
  takes: `one of ${scriptStatuses.join(', ')}`,
  schema: z.enum(scriptStatuses),
})

const url = option('--url <URL>', {
  about: 'The script',
  takes: 'an http or https URL; its query is ignored',
  schema: z.string().transform(scriptUrl).pipe(z.string().min(1)),
}).makeOptionMandatory()

const justification = whyOption('--justification <TEXT>', 'Reason, for auditors')

const hashOption = (about: string) =>
  option('--hash <HASH>', {
    about,
    takes: 'a hash from "scripts list", such as sha256-<base64>',
    schema: z.string().transform(scriptHash).pipe(z.string().startsWith('sha256-')),
  })

const hash = hashOption('The bytes').makeOptionMandatory()

const pinnedHash = hashOption('Authorize only these bytes, which need not have been seen').conflicts('anyContent')

interface Decided {
  readonly tenant: string
  readonly site: string
  readonly url: string
  readonly by: string
  readonly justification: string
}

type Outcome = Pick<ScriptDecision, 'status' | 'integrityMode'> & { readonly pinnedHashes?: string[] }

const listed = z.looseObject({ data: z.array(z.unknown()), nextCursor: z.unknown() })

const appendOnly = 'Decisions are immutable: the latest one applies, and the API lists all of them with the script.'
const ofListed = '--url must be a script in "scripts list"; for other scripts use "import decisions".'

/**
 * Throws for a script that the site does not have, unless a hash or any content is authorized. Throws if a script to pin
 * has no hash.
 */
async function decide(
  context: Context,
  { tenant, site, url, by, justification }: Decided,
  { status, integrityMode, pinnedHashes }: Outcome,
): Promise<void> {
  const { reader, writer } = await openSite(context, tenant, site)
  const ofSite = { tenantId: tenant, siteId: site, window: { from: 0, to: Date.now() }, hasPaymentPages: true }
  const [script] = await reader.read(listScripts({ ...ofSite, url }))
  const isNamed = integrityMode === 'any_content' || pinnedHashes !== undefined
  const quoted = quoteInput(url, 200)
  if (!script && !isNamed) {
    const remedy = status === 'authorized' ? ', or authorize it with --hash or --any-content' : ''
    throw new Error(`The site has no script ${quoted}: see "scripts list"${remedy}`)
  }
  if (!isNamed && status === 'authorized' && !script?.versions.some(({ hash }) => hash !== '')) {
    throw new Error(
      `The script ${quoted} has no hash to pin, because no scan or browser could read it: use --hash, or --any-content`,
    )
  }
  const target = { type: scriptDecisions, database: writer, tenantId: tenant }
  await storeDecision(context, target, { site, by, url, status, integrityMode, pinnedHashes, justification })
}

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

function addAuthorize(scripts: Command, context: Context): void {
  subcommand(scripts, 'authorize', {
    about: 'Authorize a script and print the decision',
    notes: [
      appendOnly,
      'Only the hashes that the script has had so far are authorized, or the one of --hash: later content triggers',
      'script.changed. With --any-content no change of its content triggers an alert.',
    ],
    examples: [
      'scripts authorize --tenant ID --site ID --url https://pay.example.com/pay.js --by ada@example.com --justification "Card form"',
      'scripts authorize --tenant ID --site ID --url https://tags.example.com/t.js --by ada@example.com --justification "Tags" --any-content',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(url)
    .addOption(by)
    .addOption(justification)
    .addOption(pinnedHash)
    .option('--any-content', 'Authorize any content: changes of it trigger no alert')
    .option('--pin', 'Does nothing: pinning is the default')
    .action(({ hash, anyContent, pin: _, ...decided }) =>
      decide(context, decided, {
        status: 'authorized',
        integrityMode: anyContent ? 'any_content' : 'pinned_hashes',
        ...(hash !== undefined && { pinnedHashes: [hash] }),
      }),
    )
}

function addReject(scripts: Command, context: Context): void {
  subcommand(scripts, 'reject', {
    about: 'Reject a script and print the decision',
    notes: [appendOnly, ofListed, 'PCI DSS readiness is not met while a rejected script runs on a payment page.'],
    examples: [
      'scripts reject --tenant ID --site ID --url https://old.example.com/t.js --by ada@example.com --justification "Unused"',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(url)
    .addOption(by)
    .addOption(justification)
    .action((decided) => decide(context, decided, { status: 'rejected', integrityMode: null }))
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
