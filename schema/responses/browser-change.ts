import { z } from 'zod'
import { browserChangeTypeNames } from '../report-types.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

/** Rule 48. */
export const browserChange = z
  .object({
    reportType: openEnum(browserChangeTypeNames),
    feature: untrusted().meta({ description: 'The browser’s identifier for the API.' }),
    sourceFile: untrusted().nullable().meta({ description: 'The script that used it, without its query.' }),
    lineNumber: count.nullable(),
    message: untrusted().meta({ description: 'The browser’s explanation, as the latest report gives it.' }),
    anticipatedRemoval: dateTimeText
      .nullable()
      .meta({ description: 'From the latest report that names one; null when none does.' }),
    reportCount: count,
    estimatedReportCount: count,
    sampled: z.boolean(),
    pageCount: count.meta({ description: 'Distinct pages, without their queries, that used it.' }),
    topPages: z
      .array(untrusted())
      .max(3)
      .meta({ description: 'The pages that reported it most, most frequent first.' }),
    browsers: z.array(untrusted()).meta({ description: 'The browser families that could be read, by name.' }),
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
  })
  .meta({ id: 'BrowserChange' })

/** Of the whole window, not only the page. */
export const browserChangeTotals = z
  .object({
    estimatedReportCount: count,
    reportCount: count,
    apiCount: count.meta({ description: 'Distinct APIs.' }),
    withRemovalDateCount: count.meta({ description: 'Entries with an anticipated removal.' }),
    soonestRemoval: dateTimeText.nullable(),
    sampled: z.boolean(),
    browsers: z
      .array(z.object({ browser: untrusted(), estimatedReportCount: count }))
      .meta({ description: 'Browser families, largest first; "" where the user agent was unreadable.' }),
  })
  .meta({ id: 'BrowserChangeTotals' })
