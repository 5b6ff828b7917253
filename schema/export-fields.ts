import { z } from 'zod'
import { type Report, reportFieldNames } from './responses/report.ts'

const names = reportFieldNames as [keyof Report, ...(keyof Report)[]]

const error = `must be a comma-separated list of distinct report fields: ${names.join(', ')}`

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
    description: 'Report fields to export, comma-separated, in this order (default: all)',
    override: {
      type: 'string',
      pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
    },
    examples: ['receivedAt,documentUrl,directive,blockedUrl'],
  })
