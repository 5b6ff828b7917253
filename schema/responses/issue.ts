import { z } from 'zod'
import { issueConfidences } from '../enumerations.ts'
import { issueTypeNames } from '../report-types.ts'
import { count, dateTimeText, openEnum, untrusted } from './common.ts'

export const issue = z
  .object({
    id: z.string().meta({ description: 'Identifies the issue together with its reportType; it never changes.' }),
    siteId: z.guid(),
    reportType: openEnum(issueTypeNames),
    subject: untrusted().meta({
      description: 'A CSP directive, or what another type’s reports are about; "" when unknown.',
    }),
    targetHost: untrusted().meta({
      description: 'Host of the blocked resource, or of the source file; "" when unknown.',
    }),
    directive: untrusted().nullable().meta({ description: 'Null for types other than csp-violation.' }),
    blockedHost: untrusted().nullable().meta({ description: 'Null for types other than csp-violation.' }),
    reportCount: count,
    estimatedReportCount: count,
    sampled: z.boolean(),
    affectedPages: count.meta({ description: 'Distinct pages, without query and fragment; exact.' }),
    browserFamilyCount: count,
    confidence: openEnum(issueConfidences),
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
    firstSeenEver: dateTimeText.optional().meta({
      description: 'With `new=true`: the time of its first report ever, whatever the filters.',
    }),
  })
  .meta({ id: 'Issue', description: 'Reports about the same thing, whichever page sent them.' })

export const issuePage = z
  .object({
    page: untrusted().meta({ description: 'Without query and fragment; "" of reports that name none.' }),
    reportCount: count,
    estimatedReportCount: count,
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
  })
  .meta({ id: 'IssuePage' })
