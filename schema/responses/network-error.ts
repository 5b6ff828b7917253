import { z } from 'zod'
import { networkErrorPhases } from '../enumerations.ts'
import { count, dateTimeText, untrusted } from './common.ts'

const upToFive = z.array(untrusted()).max(5).meta({ description: 'Up to five, most frequent first.' })

/** Rule 49. */
export const networkErrorGroup = z
  .object({
    errorType: untrusted().meta({ description: 'A Network Error Logging type, such as tcp.timed_out.' }),
    phase: untrusted().meta({ description: `Known values: ${networkErrorPhases.join(', ')}; more may be added.` }),
    origin: untrusted().meta({ description: 'Origin of the failed request; "" if its URL has none.' }),
    statusCode: z.int().min(1).nullable().meta({ description: 'Null if there was no HTTP response.' }),
    serverIps: upToFive,
    protocols: upToFive,
    methods: upToFive,
    browsers: z.array(untrusted()).meta({ description: 'Families, sorted.' }),
    exampleUrl: untrusted().meta({ description: 'The URL of the latest of these requests.' }),
    reportCount: count,
    estimatedReportCount: count,
    firstSeen: dateTimeText,
    lastSeen: dateTimeText,
  })
  .meta({ id: 'NetworkErrorGroup' })

export const networkErrorTotals = z
  .object({ reportCount: count, estimatedReportCount: count, groupCount: count, originCount: count })
  .meta({
    id: 'NetworkErrorTotals',
    description: 'Totals over all groups in the window; reports without an origin are not counted as an origin.',
  })
