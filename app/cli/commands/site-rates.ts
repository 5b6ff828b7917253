/** @module Options of how many of a site's reports the collector stores (Rule 80). */

import { z } from 'zod'
import { storedTypeNames, storedTypeRows } from '../../../schema/report-types.ts'
import { option, repeatableOption } from '../command/arguments.ts'

const sampledTypes = storedTypeNames.filter((type) => storedTypeRows[type].sampleRate === undefined)

/** Browsers sample network errors themselves. */
export const sample = repeatableOption('--sample <TYPE=RATE>', {
  about: 'Share of reports of a type that the collector stores (default: all)',
  takes: `a rate above 0 and up to 1 for one of ${sampledTypes.join(', ')}, such as crash=0.1`,
  schema: z
    .string()
    .regex(/^[\w-]+=(1|0?\.\d{1,6})$/)
    .transform((text) => text.split('=') as [string, string])
    .refine(([type, rate]) => (sampledTypes as readonly string[]).includes(type) && Number(rate) > 0)
    .transform(([type, rate]) => [type, Number(rate)] as const),
})

export const maxReportsPerMinute = option('--max-reports-per-minute <N>', {
  about: "Reports per minute above which the collector stores a share with its weight (default: the plan's)",
  takes: "a whole number from 1 to 1000000000, or plan for the plan's number",
  schema: z
    .string()
    .regex(/^(?:plan|[1-9]\d{0,9})$/)
    .transform((text) => (text === 'plan' ? 0 : Number(text)))
    .refine((number) => number <= 1_000_000_000),
})
