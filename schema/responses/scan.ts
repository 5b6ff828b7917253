import { z } from 'zod'
import {
  comparedHeaders,
  headerChanges,
  scanFailureReasons,
  scanGrades,
  scanStatuses,
  type WatchedHeader,
  watchedHeaders,
} from '../enumerations.ts'
import { scanUrl } from '../page-pattern.ts'
import { line, recordUuid } from '../record-fields.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'
import { scannedScript } from './scanned-script.ts'

const grade = () => openEnum(scanGrades)

/** Rule 62. */
const changes = z
  .strictObject({
    headers: z
      .array(
        z.strictObject({
          header: openEnum(comparedHeaders),
          change: openEnum(headerChanges),
          before: untrusted().nullable(),
          after: untrusted().nullable(),
        }),
      )
      .meta({
        description:
          'Watched headers, and those in `result.moreHeaders`, whose comparable form differs; the order of sources in a policy is ignored.',
      }),
    gradeDroppedFrom: grade().nullable().meta({
      description: 'Grade of the last complete scan if this grade is lower under the same rubric.',
    }),
    rebaselined: z.boolean().meta({ description: 'True if the rubric changed, so the grade was not compared.' }),
  })
  .meta({
    id: 'ScanChanges',
    description:
      'Differences from the page’s previous complete scan; empty for a failed scan and for the first complete scan.',
  })

export type ScanChanges = z.infer<typeof changes>

const headerValue = untrusted().max(65_536).nullable()

const headers = z
  .strictObject(
    Object.fromEntries(watchedHeaders.map((header) => [header, headerValue])) as Record<
      WatchedHeader,
      typeof headerValue
    >,
  )
  .meta({
    id: 'WatchedHeaders',
    description:
      'Comparable form: policies with sorted directives and a placeholder for nonces, other values in lower case. Null if not sent.',
  })

const fetchedUrl = untrusted().min(1).max(8_192)

export const scan = z
  .strictObject({
    id: recordUuid,
    pageId: recordUuid.meta({ description: 'The monitored page.' }),
    scannedAt: dateTimeText,
    scanUrl: scanUrl.meta({ description: 'The fetched URL, as configured at that time.' }),
    status: openEnum(scanStatuses),
    failureReason: line(64)
      .nullable()
      .meta({
        description: `Known reasons: ${scanFailureReasons.join(', ')}; more may be added. Null for a complete scan.`,
      }),
    failureMessage: line(1_000).nullable().meta({ description: 'Text for people; null for a complete scan.' }),
    consecutiveFailures: count.meta({
      description: 'Failed scans since the last complete scan, including this one; 0 for a complete scan.',
    }),
    rubricVersion: z.int().min(0).max(4_294_967_295).meta({
      description: 'Grades are compared only under the same rubric.',
    }),
    grade: grade().nullable().meta({ description: 'Null for a failed scan.' }),
    score: z.int().min(0).max(100).nullable().meta({ description: 'Null for a failed scan.' }),
    finalUrl: fetchedUrl.nullable().meta({ description: 'The URL after redirects.' }),
    statusCode: z.int().min(100).max(599).nullable(),
    headers: headers.nullable().meta({ description: 'Null for a failed scan.' }),
    changes,
    result: z.record(z.string(), z.unknown()).nullable().meta({
      description:
        'The graded result: grade, score, headline, findings by header, next steps. `inlineScripts` lists the page’s inline scripts, with hash, first 80 characters and number of each; only where `scripts` is listed. `moreHeaders` has Integrity-Policy, Reporting-Endpoints and the policies in `<meta>`, null if not sent. Null for a failed scan; it may gain fields.',
    }),
    scripts: z.array(scannedScript).max(10_000).nullable().meta({
      description:
        'The page’s script tags with a src, in document order. Null for failed scans, for pages that are not payment pages, and on plans without script authorization.',
    }),
  })
  .meta({ id: 'Scan' })

export type Scan = z.infer<typeof scan>

export const listedScan = scan
  .omit({ result: true, scripts: true })
  .meta({ id: 'ListedScan', description: 'A scan without its full result and its scripts.' })

export type ListedScan = z.infer<typeof listedScan>

export const latestScan = scan
  .pick({
    id: true,
    scannedAt: true,
    status: true,
    grade: true,
    failureReason: true,
    consecutiveFailures: true,
    changes: true,
  })
  .meta({ id: 'LatestScan' })

export type LatestScan = z.infer<typeof latestScan>
