import { z } from 'zod'
import { line, recordUuid, recordWord } from '../record-fields.ts'
import { dateTimeText, openEnum } from './common.ts'

const destination = z.strictObject({
  id: recordWord,
  name: line(200).nullable().meta({ description: 'Null if the destination was deleted before sending.' }),
  type: openEnum(['email', 'webhook', 'slack']).nullable().meta({ description: 'Null with the name.' }),
})

/** Rule 70. */
export const alertDelivery = z
  .strictObject({
    id: recordWord,
    alertId: recordWord.meta({ description: 'The same for every destination of the alert.' }),
    kind: openEnum(['immediate', 'digest', 'test']),
    outcome: openEnum(['delivered', 'rejected', 'dropped']).meta({
      description: 'rejected: sending failed or was refused; dropped: the destination no longer exists.',
    }),
    detail: z.string().nullable().meta({
      description: 'The reason if it was rejected or dropped. URLs, tokens, host names and addresses are replaced.',
    }),
    destination: destination.meta({ description: 'The destination, without its address.' }),
    eventType: recordWord.nullable().meta({ description: 'For example csp.new_issue; null if unknown.' }),
    siteId: recordUuid.nullable().meta({ description: 'The site of the alert; null if it is not about one site.' }),
    siteIds: z.array(recordUuid).max(10_000).meta({ description: 'The sites in a digest.' }),
    summary: line(500).nullable().meta({
      description: 'One line; null for tests, digests, and alerts from before summaries existed.',
    }),
    createdAt: dateTimeText.meta({ description: 'Time of sending, of the last attempt, or of dropping.' }),
  })
  .meta({ id: 'AlertDelivery' })

export type AlertDelivery = z.infer<typeof alertDelivery>

/** Append-only (Rule 68). */
export const acknowledgement = z
  .object({
    id: z.guid(),
    deliveryId: alertDelivery.shape.id,
    acknowledgedBy: line(254).meta({ description: 'Name or e-mail address of the person.' }),
    note: z.string().min(1).max(4_000),
    ticket: line(200).nullable(),
    acknowledgedAt: dateTimeText,
  })
  .meta({ id: 'AlertAcknowledgement' })

export type Acknowledgement = z.infer<typeof acknowledgement>

export const acknowledgedDelivery = alertDelivery
  .extend({
    acknowledgements: z
      .array(acknowledgement)
      .optional()
      .meta({ description: 'With `acknowledgements=true`: oldest first.' }),
  })
  .meta({ id: 'AcknowledgedDelivery' })
