import { z } from 'zod'
import { dateTimeText } from './common.ts'
import { decidedBy } from './script.ts'

/** Decision of an operator about a source that a directive of the site's policy may allow. */
export const sourceDecision = z.strictObject({
  id: z.guid(),
  siteId: z.guid(),
  directive: z.string(),
  source: z.string(),
  status: z.enum(['accepted', 'rejected']),
  reason: z.string().min(1).max(4_000),
  decidedBy,
  decidedAt: dateTimeText,
})
