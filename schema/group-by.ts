import { z } from 'zod'
import { addition } from './additions.ts'
import { type DimensionName, dimensionNames, dimensionRows } from './dimensions.ts'
import { integer, oneOf } from './params.ts'
import { Problem } from './problems.ts'
import { requireDimension } from './report-filter.ts'
import type { ReportType } from './report-types.ts'
import { substring } from './value-params.ts'

const error = `must be one or two distinct dimensions, comma-separated: ${dimensionNames.join(', ')}`

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
    description: 'One or two distinct dimensions of the report type to group by, comma-separated',
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

const defaultTop = 5
const maxTop = 20

export const seriesParams = {
  groupBy: addition(
    oneOf(dimensionNames, 'A dimension of the report type; each of its largest values gets a series').meta({
      examples: ['directive'],
    }),
  ),
  top: addition(
    integer(1, maxTop, `The number of largest values that get a series (default: ${defaultTop})`).meta({
      examples: [defaultTop],
    }),
  ),
}

/** Series of a histogram: the largest values of a dimension. */
export interface SeriesGrouping {
  readonly dimension: DimensionName
  readonly top: number
}

/** Throws bad_request for a dimension that the type lacks, and for `top` without one. */
export function toSeriesGrouping(
  reportType: ReportType,
  { groupBy, top }: { readonly groupBy?: DimensionName | undefined; readonly top?: number | undefined },
): SeriesGrouping | undefined {
  if (groupBy === undefined) {
    if (top !== undefined) throw new Problem('bad_request', 'top is the number of series; send it with groupBy')
    return undefined
  }
  requireDimension(reportType, groupBy, 'groupBy')
  return { dimension: groupBy, top: top ?? defaultTop }
}

export const valuesParams = {
  dimension: oneOf(dimensionNames, 'The dimension of the report type whose values to list').meta({
    examples: ['siteId', 'blockedHost', 'page'],
  }),
  contains: substring('Only values that contain this text; case-insensitive for hosts', 'pay').optional(),
  limit: integer(1, 100, 'Maximum number of values to return').default(20),
}

/** Throws bad_request for a dimension that the type lacks. */
export function toValuesOf(
  reportType: ReportType,
  { dimension, contains }: { readonly dimension: DimensionName; readonly contains?: string | undefined },
) {
  requireDimension(reportType, dimension, 'dimension')
  const { match } = dimensionRows[dimension]
  // Ids and hosts are stored in lower case.
  const isLowerCase = match.kind === 'uuid' || (match.kind === 'text' && match.lowerCase)
  return { dimension, part: isLowerCase ? contains?.toLowerCase() : contains }
}
