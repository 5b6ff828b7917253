import { z } from 'zod'
import { recordUuid, recordWord } from './record-fields.ts'

export const alertRule = z.strictObject({
  id: recordWord,
  siteId: recordUuid.nullable().meta({ description: 'The one site it covers; null for every site of the tenant.' }),
  eventType: recordWord.meta({ description: 'What it alerts of, such as page.headers_changed.' }),
  kind: z.enum(['immediate', 'digest']).meta({ description: 'Requirement 11.6.1 counts immediate rules only.' }),
  destinationId: recordWord.meta({ description: 'Where its alerts go, the id that deliveries name it by.' }),
  enabled: z.boolean().default(true).meta({ description: 'False for a rule that was switched off or deleted.' }),
})

export type AlertRule = z.input<typeof alertRule>
