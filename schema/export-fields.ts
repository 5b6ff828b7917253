import { z } from 'zod'
import { type Report, reportFieldNames } from './responses/report.ts'

const names = reportFieldNames as [keyof Report, ...(keyof Report)[]]

const error = `must be different fields of a report, comma-separated, of ${names.join(', ')}`

/** Every field by default, in the order of a report. */
export const exportFieldsParam = z
  .string({ error })
  .transform((text) => text.split(','))
  .pipe(
    z
      .array(z.enum(names, { error }), { error })
      .min(1, { error })
      .refine((fields) => new Set(fields).size === fields.length, { error }),
  )
  .optional()
  .meta({
    description: 'Fields of each report, comma-separated, in the order they are sent in; all by default',
    override: {
      type: 'string',
      pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
    },
    examples: ['receivedAt,documentUrl,directive,blockedUrl'],
  })
