import type { Command } from '@commander-js/extra-typings'
import { listSourceDecisions } from '../../../queries/csp-policies/known-sources.ts'
import { readerAsRecorded } from '../../../queries/records/as-recorded.ts'
import { toReader } from '../../../queries/sql/query.ts'
import { moment } from '../../../schema/record-fields.ts'
import { directiveField, sourceDecisions, sourceField } from '../../import/records/types/source-decisions.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openSite } from '../command/require-tenant.ts'
import { by, site, tenant, whyOption } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { storeDecision } from '../command/tenant-records.ts'

const directive = option('--directive <NAME>', {
  about: 'Directive of the policy',
  takes: 'a directive that has sources, such as img-src',
  schema: directiveField,
}).makeOptionMandatory()

const source = option('--source <SOURCE>', {
  about: 'The source',
  takes: 'an origin such as https://cdn.example.com, data or blob, as "csp advise" lists it',
  schema: sourceField,
}).makeOptionMandatory()

const reason = whyOption('--reason <TEXT>', 'Reason, for people')

const asOf = option('--as-of <TIME>', {
  about: 'Only decisions recorded by this time (default: now)',
  takes: 'a time such as 2026-01-31T12:00:00Z',
  schema: moment,
})

const outcomes = { accept: 'accepted', reject: 'rejected' } as const

export function addSources(program: Command, context: Context): void {
  const sources = subcommand(program, 'sources', { about: "Decisions about the sources of a site's policy" })

  for (const [name, status] of Object.entries(outcomes)) {
    subcommand(sources, name, {
      about: `Record that a directive ${name === 'accept' ? 'may' : 'must not'} allow a source and print the decision`,
      notes: [
        'Decisions are immutable: the latest one for a directive and source applies.',
        'Anyone can send reports: "csp advise" allows a source only if a scan, a served policy or a decision confirms it.',
      ],
      examples: [
        `sources ${name} --tenant ID --site ID --directive img-src --source https://img.partner.example --by ada@example.com --reason "Banners"`,
      ],
    })
      .addOption(tenant)
      .addOption(site)
      .addOption(directive)
      .addOption(source)
      .addOption(by)
      .addOption(reason)
      .action(async ({ tenant, ...decided }) => {
        const { writer } = await openSite(context, tenant, decided.site)
        const target = { type: sourceDecisions, database: writer, tenantId: tenant }
        await storeDecision(context, target, { ...decided, status })
      })
  }

  subcommand(sources, 'list', {
    about: "Print the decisions about a site's sources, oldest first",
    examples: ['sources list --tenant ID --site ID', 'sources list --tenant ID --site ID --as-of 2026-01-31T12:00:00Z'],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(asOf)
    .action(async ({ tenant, site, asOf }) => {
      const { reader } = await openSite(context, tenant, site)
      const now = toReader(reader.read)
      const { read } = asOf ? readerAsRecorded(now, { tenantId: tenant, siteId: site }, asOf) : now
      context.finish({ decisions: await read(listSourceDecisions(tenant, site)) })
    })
}
