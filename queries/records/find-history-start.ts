import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

const row = z.object({ startedAt: rowTime })

/** Start of the history of records: the time when its migration was done. */
export const findHistoryStart: Query<z.infer<typeof row>> = {
  name: 'findHistoryStart',
  statement: sql`
    SELECT min(applied_at) AS startedAt
    FROM schema_migrations
    WHERE endsWith(name, '_evidence_history')
    HAVING count() > 0`,
  row,
  pool: 'lookup',
}
