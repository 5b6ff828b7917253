import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { listScripts } from '../../../queries/scripts/scripts.ts'
import { type RecordedDecision, recordedDecision } from '../../../schema/responses/script-decision.ts'
import { scriptHash } from '../../../schema/rules/scripts/script-hash.ts'
import { scriptUrl } from '../../../schema/rules/scripts/script-url.ts'
import { scriptDecisions } from '../../import/records/types/script-decisions.ts'
import { quoteInput } from '../../pipeline/quote-input.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openSite } from '../command/require-tenant.ts'
import { by, site, tenant, whyOption } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { storeDecision } from '../command/tenant-records.ts'

export const url = option('--url <URL>', {
  about: 'The script',
  takes: 'an http or https URL; its query is ignored',
  schema: z.string().transform(scriptUrl).pipe(z.string().min(1)),
}).makeOptionMandatory()

export const hashOption = (about: string) =>
  option('--hash <HASH>', {
    about,
    takes: 'a hash from "scripts list", such as sha256-<base64>',
    schema: z.string().transform(scriptHash).pipe(z.string().startsWith('sha256-')),
  })

const justification = whyOption('--justification <TEXT>', 'Reason, for auditors')

const owner = option('--owner <NAME>', {
  about: 'Person or team that is responsible for the script',
  takes: '1 to 200 printable characters',
  schema: recordedDecision.shape.owner.unwrap(),
})

const reviewBy = option('--review-by <DATE>', {
  about: 'Last day (UTC) before the authorization is reviewed; later it is the gap review_overdue of the PCI report',
  takes: 'a date such as 2027-11-30',
  schema: recordedDecision.shape.reviewBy.unwrap(),
})

const pinnedHash = hashOption('Authorize only these bytes, which need not have been seen').conflicts('anyContent')

interface Decided {
  readonly tenant: string
  readonly site: string
  readonly url: string
  readonly by: string
  readonly justification: string
  readonly owner?: string | undefined
  readonly reviewBy?: string | undefined
}

type Outcome = Pick<RecordedDecision, 'status' | 'integrityMode'> & { readonly pinnedHashes?: string[] }

const appendOnly = 'Decisions are immutable: the latest one applies, and the API lists all of them with the script.'
const ofListed = '--url must be a script in "scripts list"; for other scripts use "import decisions".'

/**
 * Throws for a script that the site does not have, unless a hash or any content is authorized. Throws if a script to pin
 * has no hash.
 */
async function decide(
  context: Context,
  { tenant, site, url, by, ...stated }: Decided,
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
  await storeDecision(context, target, { site, by, url, status, integrityMode, pinnedHashes, ...stated })
}

export function addAuthorize(scripts: Command, context: Context): void {
  subcommand(scripts, 'authorize', {
    about: 'Authorize a script and print the decision',
    notes: [
      appendOnly,
      'Only the hashes that the script has had so far are authorized, or the one of --hash: later content triggers',
      'script.changed. With --any-content no change of its content triggers an alert.',
    ],
    examples: [
      'scripts authorize --tenant ID --site ID --url https://pay.example.com/pay.js --by ada@example.com --justification "Card form"',
      'scripts authorize --tenant ID --site ID --url https://tags.example.com/t.js --by ada@example.com --justification "Tags" --any-content --owner "Marketing" --review-by 2027-11-30',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(url)
    .addOption(by)
    .addOption(justification)
    .addOption(owner)
    .addOption(reviewBy)
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

export function addReject(scripts: Command, context: Context): void {
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
