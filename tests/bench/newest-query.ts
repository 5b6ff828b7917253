import type { BenchQuery } from './bench-query.ts'
import { fromReports, nameOf, pathOf, type QuerySpec } from './report-queries.ts'

/** The first page of reports of a week. */
export function newest(spec: QuerySpec): BenchQuery {
  return {
    name: nameOf('newest 50', spec),
    days: 7,
    path: pathOf('', spec, { limit: '50' }),
    parseBody: ({ data }) => ({ rows: data.map(({ id }: { id: string }) => ({ key: id, count: 1 })) }),
    sql: (d) => `
SELECT id AS key1, 1 AS n, *
${fromReports(spec, d)}
ORDER BY received_at DESC, id DESC
LIMIT 50`,
    target: spec.target,
  }
}
