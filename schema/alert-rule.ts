import { z } from 'zod'
import { recordUuid, recordWord } from './record-fields.ts'

const bound = z.int().min(1).max(1_000_000).nullable().default(null)

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
  minReports: bound.meta({
    description:
      'Reports that a new issue needs for an immediate message, together with minBrowsers. Without both: 10 reports, 2 browser families or 3 pages.',
  }),
  minBrowsers: bound.meta({ description: 'Browser families that a new issue needs for an immediate message.' }),
  enabled: z.boolean().default(true).meta({ description: 'False for a disabled or deleted rule.' }),
})

export type AlertRule = z.input<typeof alertRule>
