import { z } from 'zod'
import { addition } from './additions.ts'
import { type DimensionName, dimensionNames, dimensionRows } from './dimensions.ts'
import { integer, oneOf } from './params.ts'
import { Problem } from './problems.ts'
import { requireDimension } from './report-filter.ts'
import type { ReportType } from './report-types.ts'
import { substring } from './value-params.ts'

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

const defaultTop = 5
const maxTop = 20

export const seriesParams = {
  groupBy: addition(
    oneOf(dimensionNames, 'A dimension whose largest values get a series each: one that the report type has').meta({
      examples: ['directive'],
    }),
  ),
  top: addition(
    integer(1, maxTop, `The number of values with a series, the largest of the window; ${defaultTop} by default`).meta({
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
    if (top !== undefined) throw new Problem('bad_request', 'top is a number of series; send it with groupBy')
    return undefined
  }
  requireDimension(reportType, groupBy, 'groupBy')
  return { dimension: groupBy, top: top ?? defaultTop }
}

export const valuesParams = {
  dimension: oneOf(dimensionNames, 'The dimension whose values to list: one that the report type has').meta({
    examples: ['siteId', 'blockedHost', 'page'],
  }),
  contains: substring('Only values that contain this text; hosts in any case', 'pay').optional(),
  limit: integer(1, 100, 'The number of values to return').default(20),
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
