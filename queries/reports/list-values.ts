import { z } from 'zod'
import type { DimensionName } from '../../schema/dimensions.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSum, rowCount } from '../sql/rows.ts'
import { empty, join, sql, text, uint } from '../sql/sql.ts'

const row = z.object({ value: z.string(), reportCount: rowCount, weight: rowBigSum })

export interface ValuesQuery extends ReportFilter {
  readonly tenantId: string
  readonly window: TimeRange
  readonly dimension: DimensionName
  /** Text that a value contains. */
  readonly part: string | undefined
  readonly limit: number
}

/** Largest values first, ties by value: a ranking without its times and its trend. */
export function listValues({ window, dimension, part, limit, ...filter }: ValuesQuery): Query<z.infer<typeof row>> {
  const slices = countSlices({ ...filter, groupBy: [dimension], windows: [window] })
  const counts = slices.map(({ from, column, measure }) => {
    const value = sql`toString(${column(dimension)})`
    return sql`
      SELECT ${value} AS key, ${measure.reportCount()} AS counted, ${measure.weight} AS weighted
      ${from}${part === undefined ? empty : sql` AND position(${value}, ${text(part)}) > 0`}
      GROUP BY key`
  })
  return {
    name: 'listValues',
    statement: sql`
      SELECT key AS value, sum(counted) AS reportCount, toString(sum(weighted)) AS weight
      FROM (${join(counts, ' UNION ALL ')})
      GROUP BY key
      ORDER BY reportCount DESC, key
      LIMIT ${uint(limit)}`,
    row,
    fewRows: slices.every(({ fewRows }) => fewRows),
  }
}
