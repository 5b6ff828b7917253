import type { DimensionName } from '../../schema/dimensions.ts'
import type { BenchQuery } from './bench-query.ts'
import { column, fromReports, monthDays, nameOf, pathOf, type QuerySpec } from './report-queries.ts'

const limit = 20

/** Values of a dimension, as a picker lists them. */
export function values(spec: QuerySpec & { readonly of: DimensionName; readonly contains?: string }): BenchQuery {
  const { of, contains, target } = spec
  return {
    name: nameOf(contains === undefined ? `values of ${of}` : `values of ${of} with ${contains}`, spec),
    days: monthDays,
    path: pathOf('/values', spec, { dimension: of, limit: String(limit), ...(contains !== undefined && { contains }) }),
    parseBody: ({ data }) => ({
      rows: data.map(({ value, reportCount }: { value: string; reportCount: number }) => ({
        key: value,
        count: reportCount,
      })),
    }),
    sql: (d) => `
SELECT ${column(of, d)} AS key1, count(*) AS n, sum(weight) AS weight
${fromReports(spec, d)}
  ${contains === undefined ? '' : `AND ${column(of, d)} LIKE '%${contains}%'`}
GROUP BY key1
ORDER BY n DESC, key1
LIMIT ${limit}`,
    target,
  }
}
