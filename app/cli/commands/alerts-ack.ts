import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { listAlertDeliveries } from '../../../queries/alerts/deliveries.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../../queries/sql/sql.ts'
import { line } from '../../../schema/record-fields.ts'
import { type Acknowledgement, alertDelivery } from '../../../schema/responses/alert-delivery.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant } from '../command/require-tenant.ts'
import { tenant, whyOption } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const delivery = option('--delivery <ID>', {
  about: 'The delivery of the alert',
  takes: 'the id of a delivery from /v1/alert-deliveries, which webhooks have in the header webhook-id',
  schema: alertDelivery.shape.id,
}).makeOptionMandatory()

const by = option('--by <NAME>', {
  about: 'Who acknowledges the alert',
  takes: 'a name or an e-mail address, such as ada@example.com',
  schema: line(254),
}).makeOptionMandatory()

const ticket = option('--ticket <TICKET>', {
  about: 'Ticket in another system',
  takes: '1 to 200 printable characters',
  schema: line(200),
})

export function addAcknowledge(alerts: Command, context: Context): void {
  subcommand(alerts, 'ack', {
    about: 'Acknowledge an alert and print the acknowledgement',
    notes: [
      'Acknowledgements are immutable. /v1/alert-deliveries?acknowledgements=true and the PCI report list them.',
      'PCI DSS requirement 11.6.1 counts an acknowledgement within seven days of the change, whatever the outcome of the delivery.',
    ],
    examples: [
      'alerts ack --tenant ID --delivery ID --by ada@example.com --note "Release 4.2 changed the policy" --ticket OPS-12',
    ],
  })
    .addOption(tenant)
    .addOption(delivery)
    .addOption(by)
    .addOption(whyOption('--note <TEXT>', 'What was found or done'))
    .addOption(ticket)
    .action(async ({ tenant, delivery: deliveryId, by: acknowledgedBy, note, ticket = null }) => {
      const { reader, writer } = await openTenant(context, tenant)
      const query = listAlertDeliveries(tenant, { id: deliveryId }, { after: undefined, limit: 1 })
      const [found] = await reader.read(query)
      if (!found) throw new Error(`The tenant has no delivery ${deliveryId}: see /v1/alert-deliveries`)
      if (found.kind !== 'immediate' || found.siteId === null) {
        throw new Error(
          `The delivery ${deliveryId} is not of an immediate alert about a site: only these can be acknowledged`,
        )
      }
      const at = new Date()
      const acknowledged: Acknowledgement = {
        id: randomUUID(),
        deliveryId,
        acknowledgedBy,
        note,
        ticket,
        acknowledgedAt: at.toISOString(),
      }
      await insertRows(writer, 'alert_acknowledgements', [
        {
          tenant_id: tenant,
          site_id: found.siteId,
          delivery_id: deliveryId,
          id: acknowledged.id,
          acknowledged_by: acknowledgedBy,
          note,
          ticket: ticket ?? '',
          acknowledged_at: toClickHouseTime(at),
        },
      ])
      context.finish(acknowledged)
    })
}
