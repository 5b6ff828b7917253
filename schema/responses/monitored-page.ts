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
      description: 'payment: a page with a payment form or a payment provider’s frame; other: any other page to scan.',
    }),
    label: line(200).meta({ description: 'Display name.' }),
    pattern: pagePattern.meta({
      description:
        'Pages that count as this page: scheme://host/path; * matches within one path segment, and ** as the last segment matches the rest.',
    }),
    scanUrl: scanUrl.nullable().meta({
      description: 'The URL that scheduled scans fetch; always set for payment pages.',
    }),
    position: z.int().min(0).max(4_294_967_295).meta({
      description: 'Sort position within the site, lowest first; equal positions are sorted by id.',
    }),
    latestScan: latestScan.nullable().meta({ description: 'The latest scheduled scan; null before the first scan.' }),
  })
  .meta({ id: 'MonitoredPage' })

/** A page record without scans. */
export type PageRecord = Omit<z.infer<typeof monitoredPage>, 'latestScan'>
