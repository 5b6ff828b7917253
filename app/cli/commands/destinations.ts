import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { listAlertDeliveries } from '../../../queries/alerts/deliveries.ts'
import { listAlertRules, listDestinations } from '../../../queries/alerts/rules.ts'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { bool, sql, text as textParameter, toClickHouseTime, uuid } from '../../../queries/sql/sql.ts'
import { destinationAddress, destinationTypes } from '../../../schema/alert-destination.ts'
import type { AlertRule } from '../../../schema/alert-rule.ts'
import { recordWord } from '../../../schema/record-fields.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { alertRules } from '../../import/records/types/alert-rules.ts'
import { insertNextRow } from '../../tenants/insert-next-row.ts'
import { doesOpen, sealDestination } from '../../worker/alerts/deliver/destination.ts'
import { secretsKeys } from '../../worker/alerts/deliver/secrets-keys.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant, requireTenant } from '../command/require-tenant.ts'
import { name, tenant } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { tenantList } from '../command/tenant-records.ts'

const type = option('--type <TYPE>', {
  about: 'Type of the destination',
  takes: `one of ${destinationTypes.join(', ')}`,
  schema: z.enum(destinationTypes),
}).makeOptionMandatory()

/** Checked by the action, so that no error quotes an address. */
const address = option('--address <->', {
  about: 'Address of the destination',
  takes: '-, to read the address from stdin: other users can see the command line',
  schema: z.string(),
}).makeOptionMandatory()

const destination = option('--destination <ID>', {
  about: 'The destination',
  takes: 'the id of a destination from "destinations list"',
  schema: recordWord,
}).makeOptionMandatory()

const addressOf = {
  webhook: 'an http or https URL without a username',
  slack: 'the http or https URL of an incoming webhook, without a username',
  email: 'one e-mail address',
}

const pollMs = 250

const addList = tenantList({
  about: 'Print the destinations without their addresses',
  examples: ['destinations list --tenant ID'],
  field: 'destinations',
  list: async (read, tenant) =>
    (await read(listDestinations(tenant))).map(({ id, name, type, createdAt }) => ({ id, name, type, createdAt })),
})

export function addDestinations(program: Command, context: Context): void {
  const destinations = subcommand(program, 'destinations', { about: 'Alert destinations' })
  for (const add of [addAdd, addList, addTest, addRemove]) add(destinations, context)
}

function addAdd(destinations: Command, context: Context): void {
  subcommand(destinations, 'add', {
    about: 'Add a destination and print its id; for a webhook also its signing secret, which is shown only once',
    notes: [
      'Address and secret are encrypted with SECRETS_KEY or DATA_DIR/secrets.key, which the worker needs too. Webhooks are',
      'signed by the Standard Webhooks specification. Mail needs SMTP_URL and MAIL_FROM in the environment of the worker.',
    ],
    examples: [
      'destinations add --tenant ID --name On-call --type webhook --address - < address.txt',
      'destinations add --tenant ID --name "Security officer" --type email --address - <<< officer@example.com',
    ],
  })
    .addOption(tenant)
    .addOption(name)
    .addOption(type)
    .addOption(address)
    .action(async ({ tenant, name, type, address }) => {
      if (address !== '-') {
        throw new Error('--address must be -, to read the address from stdin: other users can see the command line')
      }
      const { reader, writer } = await openTenant(context, tenant)
      const given = destinationAddress[type].safeParse((await text(context.stdin)).trim())
      if (!given.success) throw new Error(`The address on stdin must be ${addressOf[type]}`)
      const stored = await reader.read(listDestinations())
      const keys = secretsKeys(context.config(), stored.length === 0)
      if (stored.length > 0 && !stored.some((one) => doesOpen(one, keys))) {
        throw new Error("SECRETS_KEY cannot decrypt any stored address: set it to the worker's value")
      }
      const added = { tenantId: tenant, id: randomUUID(), name, type, address: given.data }
      const { row, secret } = sealDestination(added, keys)
      await insertRows(writer, 'alert_destinations', [row])
      if (secret) context.log('Save the secret, which the receiver needs to check signatures: it is not shown again')
      context.finish({ id: added.id, name, type, ...(secret && { secret }) })
    })
}

function addTest(destinations: Command, context: Context): void {
  subcommand(destinations, 'test', {
    about: 'Have the worker send a test, and print its delivery',
    notes: ['Exits 1 if the test was not delivered; "detail" is the reason.'],
    examples: ['destinations test --tenant ID --destination ID'],
  })
    .addOption(tenant)
    .addOption(destination)
    .action(async ({ tenant, destination }) => {
      const { reader, writer } = await context.database()
      await requireDestination(reader, tenant, destination)
      const id = randomUUID()
      const now = new Date()
      const summary = 'A test of this destination'
      const message = { type: 'test', timestamp: now.toISOString(), data: { alertId: id, summary } }
      const times = { occurred_at: toClickHouseTime(now), detected_at: toClickHouseTime(now) }
      await insertRows(writer, 'alerts', [
        {
          tenant_id: tenant,
          id,
          kind: 'test',
          summary,
          payload: JSON.stringify(message),
          destinations: [destination],
          ...times,
        },
      ])
      const waitMs = context.settings.testWaitMs ?? 30_000
      for (const until = Date.now() + waitMs; Date.now() < until; await sleep(pollMs)) {
        const page = { after: undefined, limit: 100 }
        const deliveries = await reader.read(listAlertDeliveries(tenant, { destinationId: destination }, page))
        const delivery = deliveries.find(({ alertId }) => alertId === id)
        if (delivery) return context.finish(delivery, delivery.outcome === 'delivered' ? 0 : 1)
      }
      throw new Error(`No worker picked up the test within ${waitMs / 1000} s. Start one: npm run worker`)
    })
}

function addRemove(destinations: Command, context: Context): void {
  subcommand(destinations, 'remove', {
    about: 'Remove a destination with its address and disable its rules',
    examples: ['destinations remove --tenant ID --destination ID'],
  })
    .addOption(tenant)
    .addOption(destination)
    .action(async ({ tenant, destination }) => {
      const { reader, writer } = await context.database()
      await requireDestination(reader, tenant, destination)
      const isDestination = sql`tenant_id = ${uuid(tenant)} AND id = ${textParameter(destination)}`
      await insertNextRow(writer, 'alert_destinations', isDestination, {
        sealed: textParameter(''),
        removed: bool(true),
      })
      const rules = (await reader.read(listAlertRules(tenant))).filter(
        ({ destinationId, enabled }) => destinationId === destination && enabled,
      )
      const disabled = rules.map((rule): AlertRule => ({ ...rule, enabled: false }))
      await importObjects({ type: alertRules, database: writer, tenantId: tenant }, disabled)
      context.finish({ id: destination, removed: true, disabledRules: disabled.map(({ id }) => id) })
    })
}

/** Throws if the tenant has no such destination. */
export async function requireDestination(database: Database, tenantId: string, id: string): Promise<void> {
  await requireTenant(database, tenantId)
  const found = await database.read(listDestinations(tenantId))
  if (!found.some((one) => one.id === id)) {
    throw new Error(`The tenant has no destination ${id}: see "destinations list"`)
  }
}
