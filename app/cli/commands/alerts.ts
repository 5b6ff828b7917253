import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { listWholeRules } from '../../../queries/alerts/rules.ts'
import { alertEvents, newIssueEvent } from '../../../schema/alert-events.ts'
import { type AlertRule, alertRule } from '../../../schema/alert-rule.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { alertRules } from '../../import/records/types/alert-rules.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant, requireSites } from '../command/require-tenant.ts'
import { siteOption, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { tenantList } from '../command/tenant-records.ts'
import { addAcknowledge } from './alerts-ack.ts'
import { requireDestination } from './destinations.ts'

const event = option('--event <EVENT>', {
  about: 'Event that triggers the alert',
  takes: `one of ${alertEvents.join(', ')}`,
  schema: z.enum(alertEvents),
}).makeOptionMandatory()

const kind = option('--kind <KIND>', {
  about: 'When the alert is sent (default: immediate)',
  takes: 'immediate, or digest for one message per day at DIGEST_HOUR',
  schema: alertRule.shape.kind,
})

const destination = option('--destination <ID>', {
  about: 'Destination of the alert',
  takes: 'the id of a destination from "destinations list"',
  schema: alertRule.shape.destinationId,
}).makeOptionMandatory()

const evidence = {
  takes: 'a whole number from 1 to 1000000',
  schema: z
    .string()
    .regex(/^\d{1,7}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(1_000_000)),
}

const minReports = option('--min-reports <NUMBER>', {
  about: 'Reports that a new issue needs for an immediate message',
  ...evidence,
})

const minBrowsers = option('--min-browsers <NUMBER>', {
  about: 'Browser families that a new issue needs for an immediate message',
  ...evidence,
})

const ownSite = siteOption('Only this site (default: every site of the tenant)')

const rule = option('--rule <ID>', {
  about: 'The rule',
  takes: 'the id of a rule from "alerts rules list"',
  schema: alertRule.shape.id,
}).makeOptionMandatory()

const addList = tenantList({
  about: 'Print the alert rules, including imported and disabled ones',
  notes: ['The worker uses enabled rules if their destination is in "destinations list".'],
  examples: ['alerts rules list --tenant ID'],
  field: 'rules',
  list: (read, tenant) => read(listWholeRules(tenant)),
})

export function addAlerts(program: Command, context: Context): void {
  const alerts = subcommand(program, 'alerts', { about: 'Alert rules, and acknowledgements of alerts' })
  const rules = subcommand(alerts, 'rules', { about: 'Alert rules of a tenant' })
  for (const add of [addAdd, addList, addRemove]) add(rules, context)
  addAcknowledge(alerts, context)
}

function addAdd(rules: Command, context: Context): void {
  subcommand(rules, 'add', {
    about: 'Add an alert rule and print it',
    notes: [
      'The worker alerts about new events only. PCI DSS requirement 11.6.1 counts immediate rules for page.headers_changed,',
      'page.grade_dropped and, on plans with script authorization, script.changed.',
      'A new issue is sent at once if it has 10 reports, 2 browser families or 3 pages within a day; --min-reports and',
      '--min-browsers replace these bounds, and both must hold. Other issues are in the daily digest.',
    ],
    examples: [
      'alerts rules add --tenant ID --event page.headers_changed --destination ID',
      'alerts rules add --tenant ID --site ID --event csp.new_issue --kind digest --destination ID',
      'alerts rules add --tenant ID --event csp.new_issue --min-reports 100 --destination ID',
    ],
  })
    .addOption(tenant)
    .addOption(event)
    .addOption(destination)
    .addOption(kind)
    .addOption(ownSite)
    .addOption(minReports)
    .addOption(minBrowsers)
    .action(async ({ tenant, event, destination, kind = 'immediate', site, minReports, minBrowsers }) => {
      if (event !== newIssueEvent && (minReports ?? minBrowsers) !== undefined) {
        throw new Error(`--min-reports and --min-browsers apply only to --event ${newIssueEvent}`)
      }
      const { reader, writer } = await context.database()
      await requireDestination(reader, tenant, destination)
      await requireSites(reader, tenant, site)
      const added: AlertRule = {
        id: randomUUID(),
        siteId: site ?? null,
        eventType: event,
        kind,
        destinationId: destination,
        ...(minReports && { minReports }),
        ...(minBrowsers && { minBrowsers }),
        enabled: true,
      }
      await importObjects({ type: alertRules, database: writer, tenantId: tenant }, [added])
      context.finish(added)
    })
}

function addRemove(rules: Command, context: Context): void {
  subcommand(rules, 'remove', {
    about: 'Disable an alert rule and print it',
    examples: ['alerts rules remove --tenant ID --rule ID'],
  })
    .addOption(tenant)
    .addOption(rule)
    .action(async ({ tenant, rule }) => {
      const { reader, writer } = await openTenant(context, tenant)
      const found = (await reader.read(listWholeRules(tenant))).find(({ id }) => id === rule)
      if (!found) throw new Error(`The tenant has no rule ${rule}: see "alerts rules list"`)
      const disabled: AlertRule = { ...found, enabled: false }
      await importObjects({ type: alertRules, database: writer, tenantId: tenant }, [disabled])
      context.finish(disabled)
    })
}
