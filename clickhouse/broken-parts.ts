import { z } from 'zod'
import type { Query } from '../queries/sql/query.ts'
import { rowCount } from '../queries/sql/rows.ts'
import { sql } from '../queries/sql/sql.ts'

const row = z.object({ parts: rowCount, first: z.string() })

/** Parts that ClickHouse set aside at its start, as files of them are empty or missing. */
export const countBrokenParts: Query<z.infer<typeof row>> = {
  name: 'countBrokenParts',
  statement: sql`
    SELECT count() AS parts, min(concat(table, ' ', name)) AS first
    FROM system.detached_parts
    WHERE startsWith(ifNull(reason, ''), 'broken') AND match(database, '^(default|reports)')`,
  row,
  pool: 'maintenance',
}
