import { z } from 'zod'
import { dispositions } from '../enumerations.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

/** Rules 50 to 52. */
export const cspPolicy = z
  .object({
    id: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .meta({ description: 'A hash of the disposition and the comparable policy in lower case.' }),
    disposition: openEnum(dispositions),
    policy: untrusted().meta({ description: 'The comparable form as last quoted, at most 16,384 bytes of UTF-8.' }),
    truncated: z.boolean().meta({ description: 'Whether the text was cut.' }),
    firstSeen: dateTimeText.meta({ description: 'When a report of the window first quoted it.' }),
    lastSeen: dateTimeText,
    reportCount: count,
  })
  .meta({ id: 'CspPolicy' })

export type CspPolicy = z.infer<typeof cspPolicy>
