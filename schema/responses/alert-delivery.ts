import { z } from 'zod'
import { line, recordUuid, recordWord } from '../record-fields.ts'
import { dateTimeText, openEnum } from './common.ts'

const destination = z.strictObject({
  id: recordWord,
  name: line(200).nullable().meta({ description: 'Null where the destination was deleted before sending.' }),
  type: openEnum(['email', 'webhook', 'slack']).nullable().meta({ description: 'Null with the name.' }),
})

/** Rule 70. */
export const alertDelivery = z
  .strictObject({
    id: recordWord,
    alertId: recordWord.meta({ description: 'Shared by every destination the alert went to.' }),
    kind: openEnum(['immediate', 'digest', 'test']),
    outcome: openEnum(['delivered', 'rejected', 'dropped']).meta({
      description: 'rejected: it errored or was refused; dropped: there was nothing to send it to.',
    }),
    detail: z.string().nullable().meta({
      description:
        'Why it was rejected or dropped: the kind of failure. Every URL, token, host name and address in it is replaced.',
    }),
    destination: destination.meta({ description: 'The destination’s address is never given.' }),
    eventType: recordWord.nullable().meta({ description: 'For example csp.new_issue; null where it names none.' }),
    siteId: recordUuid.nullable().meta({ description: 'The site it is about, where it is about one.' }),
    siteIds: z.array(recordUuid).max(10_000).meta({ description: 'The sites a digest covered.' }),
    summary: line(500).nullable().meta({
      description: 'One line; null for a test, a digest, and alerts that predate summaries.',
    }),
    createdAt: dateTimeText.meta({ description: 'When it was sent, attempted or dropped.' }),
  })
  .meta({ id: 'AlertDelivery' })

export type AlertDelivery = z.infer<typeof alertDelivery>
