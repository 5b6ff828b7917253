import { z } from 'zod'
import { planNames } from '../plans.ts'
import { count, dateTimeText, openEnum } from './common.ts'

const rateLimit = z.object({ limit: count, windowSeconds: count }).meta({ id: 'RateLimitBudget' })

export const me = z
  .object({
    tenant: z.object({ id: z.guid(), name: z.string(), plan: openEnum(planNames), retentionDays: count }),
    key: z.object({
      id: z.guid(),
      name: z.string(),
      prefix: z.string().meta({ description: 'The 8 characters after srk_live_.' }),
      siteId: z.guid().nullable().meta({ description: 'The only site that the key can read; null for every site.' }),
      origins: z
        .array(z.string())
        .readonly()
        .meta({ description: 'Origins of pages that may use the key; empty for any client.' }),
      createdAt: dateTimeText,
      expiresAt: dateTimeText,
    }),
    rateLimits: z.object({ key: rateLimit, tenant: rateLimit }),
  })
  .meta({ id: 'Me' })
