import { z } from 'zod'
import { browserChangeTypeNames } from '../report-types.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

/** Rule 48. */
export const browserChange = z
  .object({
    reportType: openEnum(browserChangeTypeNames),
    feature: untrusted().meta({ description: 'The browser’s identifier for the API.' }),
    sourceFile: untrusted().nullable().meta({ description: 'The script that used the API, without query.' }),
    lineNumber: count.nullable(),
    message: untrusted().meta({ description: 'The browser’s explanation in the latest report.' }),
    anticipatedRemoval: dateTimeText
      .nullable()
      .meta({ description: 'From the latest report with a date; null if no report has one.' }),
    reportCount: count,
    estimatedReportCount: count,
    sampled: z.boolean(),
    pageCount: count.meta({ description: 'Distinct pages that used the API, without queries.' }),
    topPages: z
      .array(untrusted())
      .max(3)
      .meta({ description: 'The pages with the most reports, most frequent first.' }),
    browsers: z.array(untrusted()).meta({ description: 'Recognised browser families, by name.' }),
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
  })
  .meta({ id: 'BrowserChange' })

/** Totals of the whole window, not only of the page. */
export const browserChangeTotals = z
  .object({
    estimatedReportCount: count,
    reportCount: count,
    apiCount: count.meta({ description: 'Distinct APIs.' }),
    withRemovalDateCount: count.meta({ description: 'Number of entries with an anticipated removal.' }),
    soonestRemoval: dateTimeText.nullable(),
    sampled: z.boolean(),
    browsers: z
      .array(z.object({ browser: untrusted(), estimatedReportCount: count }))
      .meta({ description: 'Browser families, largest first; "" for unrecognised user agents.' }),
  })
  .meta({ id: 'BrowserChangeTotals' })
