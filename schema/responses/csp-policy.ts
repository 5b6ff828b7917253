import { z } from 'zod'
import { dispositions } from '../enumerations.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

/** Rules 50 to 52. */
export const cspPolicy = z
  .object({
    id: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .meta({ description: 'Hash of the disposition and the lower-case comparable policy.' }),
    disposition: openEnum(dispositions),
    policy: untrusted().meta({
      description: 'The comparable form of the latest quote, at most 16,384 bytes of UTF-8.',
    }),
    truncated: z.boolean().meta({ description: 'True if the text was truncated.' }),
    firstSeen: dateTimeText.meta({ description: 'First report in the window that quotes the policy.' }),
    lastSeen: dateTimeText,
    reportCount: count,
  })
  .meta({ id: 'CspPolicy' })

export type CspPolicy = z.infer<typeof cspPolicy>
