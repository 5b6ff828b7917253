import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { join, name, sql } from '../sql/sql.ts'
import { type Ranking, rankingSlices } from './group-reports.ts'

const row = z.object({ groupCount: rowCount })

/** Number of groups in the window; the ranking returns the largest groups. */
export function countGroups(ranking: Ranking): Query<z.infer<typeof row>> {
  const keyOf = (index: number) => name(`key${index}`)
  const keys = ranking.groupBy.map((_, index) => keyOf(index))
  const groups = rankingSlices({ ...ranking, previous: undefined }).map(({ from, column }) => {
    const values = ranking.groupBy.map((dimension, index) => sql`toString(${column(dimension)}) AS ${keyOf(index)}`)
    return sql`SELECT ${join(values, ', ')} ${from}`
  })
  return {
    name: 'countGroups',
    statement: sql`
      SELECT uniqExact(${join(keys, ', ')}) AS groupCount
      FROM (${join(groups, ' UNION ALL ')})`,
    row,
  }
}
