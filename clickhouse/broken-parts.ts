import { z } from 'zod'
import type { Query } from '../queries/sql/query.ts'
import { rowCount } from '../queries/sql/rows.ts'
import { sql } from '../queries/sql/sql.ts'

const row = z.object({
  parts: rowCount,
  /** The first part's table with its database; empty if there is none. */
  firstTable: z.string(),
  firstName: z.string(),
})

/** Parts that ClickHouse set aside at its start because some of their files are empty or missing. */
export const countBrokenParts: Query<z.infer<typeof row>> = {
  name: 'countBrokenParts',
  statement: sql`
    SELECT count() AS parts, (min((concat(database, '.', table), name)) AS first).1 AS firstTable, first.2 AS firstName
    FROM system.detached_parts
    WHERE startsWith(ifNull(reason, ''), 'broken') AND match(database, '^(default|reports)')`,
  row,
  pool: 'maintenance',
}
