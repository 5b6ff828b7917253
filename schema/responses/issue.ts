import { z } from 'zod'
import { issueConfidences } from '../enumerations.ts'
import { issueTypeNames } from '../report-types.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

export const issue = z
  .object({
    id: z.string().meta({ description: 'Identifies the issue together with reportType; never changes.' }),
    siteId: z.guid(),
    reportType: openEnum(issueTypeNames),
    subject: untrusted().meta({
      description: 'A CSP directive, or the subject of reports of another type; "" if unknown.',
    }),
    targetHost: untrusted().meta({
      description: 'Host of the blocked resource or source file; "" if unknown.',
    }),
    directive: untrusted().nullable().meta({ description: 'Null for types other than csp-violation.' }),
    blockedHost: untrusted().nullable().meta({ description: 'Null for types other than csp-violation.' }),
    reportCount: count,
    estimatedReportCount: count,
    sampled: z.boolean(),
    affectedPages: count.meta({ description: 'Exact number of distinct pages, without query and fragment.' }),
    browserFamilyCount: count,
    confidence: openEnum(issueConfidences),
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
    firstSeenEver: dateTimeText.optional().meta({
      description: 'With `new=true`: time of the first report ever, independent of filters.',
    }),
    otherIssueCount: count.optional().meta({
      description: 'Only with the subject `(other)`: about how many new issues it combines since firstSeen.',
    }),
  })
  .meta({ id: 'Issue', description: 'Reports about the same problem, grouped across pages.' })

export const issuePage = z
  .object({
    page: untrusted().meta({ description: 'Without query and fragment; "" for reports without a page.' }),
    reportCount: count,
    estimatedReportCount: count,
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
  })
  .meta({ id: 'IssuePage' })
