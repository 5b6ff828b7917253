import { z } from 'zod'
import { type Report, reportFieldNames } from './responses/report.ts'

/** Fields that only an export that names them and a list with `details=true` return (Rule 36). */
export const detailFields = ['context', 'rest'] as const

export type ExportField = keyof Report | (typeof detailFields)[number]

const names: readonly ExportField[] = [...reportFieldNames, ...detailFields]

const error = `must be a comma-separated list of distinct report fields: ${names.join(', ')}`

/** Every field of a report by default, in its order. */
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
    description:
      'Report fields to export, comma-separated, in this order (default: all but the last two). `context` and `rest` are JSON text: pairs that the page set for a crash report, and members that have no field of their own',
    override: {
      type: 'string',
      pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
    },
    examples: ['receivedAt,documentUrl,directive,blockedUrl'],
  })
