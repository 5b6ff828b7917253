import { z } from 'zod'
import { type DimensionName, dimensionNames } from './dimensions.ts'
import { requireDimension } from './report-filter.ts'
import type { ReportType } from './report-types.ts'

const error = `must be one or two different dimensions, comma-separated, of ${dimensionNames.join(', ')}`

export const groupByParam = z
  .string({ error })
  .transform((text) => text.split(','))
  .pipe(
    z
      .array(z.enum(dimensionNames, { error }), { error })
      .min(1, { error })
      .max(2, { error })
      .refine((names) => new Set(names).size === names.length, { error }),
  )
  .meta({
    description: 'One dimension to group by, or two different ones, comma-separated: those the report type has',
    override: {
      type: 'string',
      pattern: `^(${dimensionNames.join('|')})(,(${dimensionNames.join('|')}))?$`,
    },
    examples: ['browserName', 'directive,blockedHost'],
  })

/** Throws bad_request for a dimension that the type lacks. */
export function toGrouping(reportType: ReportType, groupBy: readonly DimensionName[]): readonly DimensionName[] {
  for (const dimension of groupBy) requireDimension(reportType, dimension, 'groupBy')
  return groupBy
}
