import { z } from 'zod'
import { bucketSizeNames, deviceTypes, dispositions } from '../enumerations.ts'
import { type ReportType, reportTypeNames, reportTypeRows } from '../report-types.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

const text = untrusted().nullable()
const number = z.int().min(0).nullable()

/** Fields in the documented order (Rule 36). */
export const report = z
  .object({
    id: z.guid(),
    siteId: z.guid(),
    reportType: openEnum(reportTypeNames),
    receivedAt: dateTimeText,
    browserName: untrusted(),
    browserVersion: untrusted(),
    osName: untrusted(),
    deviceType: openEnum(deviceTypes),
    sampleRate: z.number().gt(0).max(1),
    documentUrl: untrusted(),
    disposition: openEnum(dispositions).nullable(),
    feature: text,
    directive: text,
    blockedHost: text,
    blockedUrl: text,
    blockedOrigin: text,
    destination: text,
    effectivePolicy: text,
    otherOrigin: text,
    sourceFile: text,
    lineNumber: number,
    columnNumber: number,
    message: text,
    sample: text,
    policy: text,
    referrer: text,
    statusCode: number,
    phase: text,
    method: text,
    protocol: text,
    serverIp: text,
    elapsedMs: number,
    requestUrl: text,
    anticipatedRemoval: dateTimeText.nullable(),
    isTopLevel: z.boolean().nullable(),
    visibilityState: text,
    stack: text,
  })
  .meta({
    id: 'Report',
    description:
      'What one browser sent: untrusted text. Null if the browser did not report it, or reports of this type have no such field.',
  })

export type Report = z.infer<typeof report>

export const reportFieldNames = Object.keys(report.shape) as (keyof Report)[]

/** All other fields of the type's reports are null (Rule 36). */
export function fieldsOfType(reportType: ReportType): (keyof Report)[] {
  const { dimensions, extraFields } = reportTypeRows[reportType]
  const own = new Set<string>([...dimensions, ...extraFields])
  return reportFieldNames.filter((field) => own.has(field) || !report.shape[field].isNullable())
}

export const reportCount = z
  .object({ reportCount: count, estimatedReportCount: count, sampled: z.boolean() })
  .meta({ id: 'ReportCount' })

export const histogram = z
  .object({
    bucketSize: openEnum(bucketSizeNames),
    buckets: z.array(
      z.object({
        time: dateTimeText,
        reportCount: count,
        estimatedReportCount: count.optional(),
        partial: z.literal(true).optional().meta({ description: 'The window has only a part of the bucket.' }),
      }),
    ),
    series: z
      .array(
        z.object({
          value: untrusted().nullable().meta({
            description:
              'A value of groupBy; "" of reports that have none; null of all other values together, the last.',
          }),
          reportCounts: z.array(count).meta({ description: 'One per bucket.' }),
        }),
      )
      .optional()
      .meta({ description: 'With groupBy: the largest values of the window; by bucket they add up to reportCount.' }),
  })
  .meta({ id: 'Histogram', description: 'Every bucket from `from` to `to`, empty ones included.' })

const trendPercent = z.number().nullable().meta({
  description:
    'Change against the window of equal length just before, to one decimal; null where that had no reports or reaches back beyond retention.',
})

export const groupedRow = z
  .object({
    values: z.array(untrusted()).meta({ description: 'One value per dimension of groupBy; "" where there is none.' }),
    reportCount: count,
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
    trendPercent,
  })
  .meta({ id: 'GroupedRow' })

export const valueCount = z
  .object({
    value: untrusted().meta({ description: '"" of reports that have none.' }),
    reportCount: count,
    estimatedReportCount: count,
  })
  .meta({ id: 'ValueCount' })

export const reportTypeCount = z
  .object({
    reportType: openEnum(reportTypeNames),
    estimatedReportCount: count,
    sampled: z.boolean(),
    trendPercent: trendPercent.optional(),
    reportCounts: z.array(count).optional().meta({
      description: 'With `series=true`: stored reports of 14 parts of the window, which have equal length.',
    }),
  })
  .meta({ id: 'ReportTypeCount' })
