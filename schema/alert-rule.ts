import { z } from 'zod'
import { recordUuid, recordWord } from './record-fields.ts'

export const alertRule = z.strictObject({
  id: recordWord,
  siteId: recordUuid
    .nullable()
    .meta({ description: 'The site that the rule covers; null for every site of the tenant.' }),
  eventType: recordWord.meta({ description: 'Event that triggers the alert, such as page.headers_changed.' }),
  kind: z
    .enum(['immediate', 'digest'])
    .meta({ description: 'PCI DSS requirement 11.6.1 counts only immediate rules.' }),
  destinationId: recordWord.meta({ description: 'Id of the destination, as in alert deliveries.' }),
  enabled: z.boolean().default(true).meta({ description: 'False for a disabled or deleted rule.' }),
})

export type AlertRule = z.input<typeof alertRule>
