import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { listAlertRules } from '../../../queries/alerts/list-alert-rules.ts'
import { alertEvents } from '../../../schema/alert-events.ts'
import type { AlertRule } from '../../../schema/alert-rule.ts'
import { recordWord } from '../../../schema/record-fields.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { alertRules } from '../../import/records/types/alert-rules.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireSites, requireTenant } from '../command/require-tenant.ts'
import { siteOption, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { requireDestination } from './destinations.ts'

const event = option('--event <EVENT>', {
  about: 'What it alerts of',
  takes: `one of ${alertEvents.join(', ')}`,
  schema: z.enum(alertEvents),
}).makeOptionMandatory()

const kind = option('--kind <KIND>', {
  about: 'When it is sent (default: immediate)',
  takes: 'immediate, or digest for one message a day at DIGEST_HOUR',
  schema: z.enum(['immediate', 'digest']),
})

const destination = option('--destination <ID>', {
  about: 'Where it is sent',
  takes: 'the id of a destination, as "destinations list" shows it',
  schema: recordWord,
}).makeOptionMandatory()

const ownSite = siteOption('The one site that it covers (default: every site of the tenant)')

const rule = option('--rule <ID>', {
  about: 'The rule',
  takes: 'the id of a rule, as "alerts rules list" shows it',
  schema: recordWord,
}).makeOptionMandatory()

export function addAlerts(program: Command, context: Context): void {
  const alerts = subcommand(program, 'alerts', { about: 'What is alerted of, and where it is sent' })
  const rules = subcommand(alerts, 'rules', { about: 'Alert rules of a tenant' })

  subcommand(rules, 'add', {
    about: 'Add an alert rule, and print it',
    notes: [
      'The worker alerts of what it finds from now on. Requirement 11.6.1 of PCI DSS counts immediate rules for page.headers_changed',
      'and page.grade_dropped.',
    ],
    examples: [
      'alerts rules add --tenant ID --event page.headers_changed --destination ID',
      'alerts rules add --tenant ID --site ID --event csp.new_issue --kind digest --destination ID',
    ],
  })
    .addOption(tenant)
    .addOption(event)
    .addOption(destination)
    .addOption(kind)
    .addOption(ownSite)
    .action(async ({ tenant, event, destination, kind = 'immediate', site }) => {
      const { reader, writer } = await context.database()
      await requireDestination(reader, tenant, destination)
      await requireSites(reader, tenant, site)
      const added: AlertRule = {
        id: randomUUID(),
        siteId: site ?? null,
        eventType: event,
        kind,
        destinationId: destination,
        enabled: true,
      }
      await importObjects({ type: alertRules, database: writer, tenantId: tenant }, [added])
      context.finish(added)
    })

  subcommand(rules, 'list', {
    about: 'Print the alert rules, imported and disabled ones too',
    notes: ['The worker alerts by enabled rules whose destination "destinations list" shows.'],
    examples: ['alerts rules list --tenant ID'],
  })
    .addOption(tenant)
    .action(async ({ tenant }) => {
      const { reader } = await context.database()
      await requireTenant(reader, tenant)
      context.finish({ rules: await reader.read(listAlertRules(tenant)) })
    })

  subcommand(rules, 'remove', {
    about: 'Disable an alert rule, and print it',
    examples: ['alerts rules remove --tenant ID --rule ID'],
  })
    .addOption(tenant)
    .addOption(rule)
    .action(async ({ tenant, rule }) => {
      const { reader, writer } = await context.database()
      await requireTenant(reader, tenant)
      const found = (await reader.read(listAlertRules(tenant))).find(({ id }) => id === rule)
      if (!found) throw new Error(`The tenant has no rule ${rule}: "alerts rules list" shows them`)
      const disabled: AlertRule = { ...found, enabled: false }
      await importObjects({ type: alertRules, database: writer, tenantId: tenant }, [disabled])
      context.finish(disabled)
    })
}
