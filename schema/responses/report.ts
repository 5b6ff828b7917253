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
      'Untrusted text from a browser. Null if the browser did not report it or the report type does not have the field.',
  })

export type Report = z.infer<typeof report>

const json = text.optional()

/** With what a report has beside its fields, as JSON text (Rule 36). */
export const detailedReport = report
  .extend({
    context: json.meta({
      description: 'With `details=true`: pairs that the page set for a crash report, as JSON text.',
    }),
    rest: json.meta({ description: 'With `details=true`: members that have no field of their own, as JSON text.' }),
  })
  .meta({ id: 'DetailedReport', description: 'A report; with `details=true`, everything that the browser sent.' })

export type DetailedReport = z.infer<typeof detailedReport>

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
        partial: z
          .literal(true)
          .optional()
          .meta({ description: 'Present if only part of the bucket is in the window.' }),
      }),
    ),
    series: z
      .array(
        z.object({
          value: untrusted().nullable().meta({
            description:
              'Value of groupBy; "" for reports without a value; null for all other values together, which is the last series.',
          }),
          reportCounts: z.array(count).meta({ description: 'One count per bucket.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'With groupBy: the largest values in the window; the series of a bucket add up to its reportCount.',
      }),
  })
  .meta({ id: 'Histogram', description: 'All buckets from `from` to `to`, including empty ones.' })

const trendPercent = z.number().nullable().meta({
  description:
    'Change from the previous window of the same length, to one decimal; null if that window has no reports or starts before retention.',
})

export const groupedRow = z
  .object({
    values: z.array(untrusted()).meta({ description: 'One value per dimension of groupBy; "" for no value.' }),
    reportCount: count,
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
    trendPercent,
  })
  .meta({ id: 'GroupedRow' })

export const valueCount = z
  .object({
    value: untrusted().meta({ description: '"" for reports without a value.' }),
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
      description: 'With `series=true`: stored reports in 14 equal parts of the window.',
    }),
  })
  .meta({ id: 'ReportTypeCount' })
