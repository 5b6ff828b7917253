import { z } from 'zod'
import { pagePattern, scanUrl } from '../page-pattern.ts'
import { line, recordUuid } from '../record-fields.ts'
import { openEnum } from './common.ts'
import { latestScan } from './scan.ts'

export const monitoredPage = z
  .strictObject({
    id: recordUuid,
    siteId: recordUuid,
    kind: openEnum(['payment', 'other']).meta({
      description:
        'payment: a page with a payment form or a payment provider’s frame; other: any other worth scanning.',
    }),
    label: line(200).meta({ description: 'Its name, for people.' }),
    pattern: pagePattern.meta({
      description:
        'The pages that it matches: scheme://host/path, where * matches within one path segment and ** as the whole last segment any remainder.',
    }),
    scanUrl: scanUrl.nullable().meta({
      description: 'The one URL the scheduled scans fetch; always set on a payment page.',
    }),
    position: z.int().min(0).max(4_294_967_295).meta({
      description: 'Its place in the order the site lists its pages, lowest first; equal places by id.',
    }),
    latestScan: latestScan.nullable().meta({ description: 'The latest scheduled scan; null until the first one.' }),
  })
  .meta({ id: 'MonitoredPage' })

/** As imported, without scans. */
export type PageRecord = Omit<z.infer<typeof monitoredPage>, 'latestScan'>
