import { z } from 'zod'
import { count, dateTimeText, untrusted } from './common.ts'

/** Rule 47. */
export const crashGroup = z
  .object({
    reason: untrusted().meta({ description: 'For example oom or unresponsive; "" if the browser did not report it.' }),
    page: untrusted().meta({ description: 'Without query and fragment.' }),
    isTopLevel: z.boolean().nullable().meta({ description: 'Null if the browser did not report it.' }),
    visibilityState: untrusted().meta({ description: 'Visibility at the crash; "" if the browser did not report it.' }),
    browsers: z.array(untrusted()).meta({ description: 'Families, sorted.' }),
    stackExcerpt: untrusted().nullable().meta({
      description: 'The first 1,024 characters of the latest stack; null if no report has a stack.',
    }),
    reportCount: count,
    estimatedReportCount: count,
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
  })
  .meta({ id: 'CrashGroup' })

export const crashTotals = z
  .object({ estimatedReportCount: count, reportCount: count, pageCount: count, groupCount: count })
  .meta({
    id: 'CrashTotals',
    description: 'Totals over all groups in the window; reports without a page are not counted as a page.',
  })
