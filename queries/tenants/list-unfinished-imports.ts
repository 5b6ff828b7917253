import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql } from '../sql/sql.ts'

const row = z.object({ tenantId: z.string() })

export const listUnfinishedImports: Query<z.infer<typeof row>> = {
  name: 'listUnfinishedImports',
  statement: sql`
    SELECT DISTINCT tenant_id AS tenantId
    FROM (
      SELECT tenant_id
      FROM import_log
      GROUP BY tenant_id, previous_token, token, stored_from
      HAVING countIf(state = 'done') = 0
    )
    ORDER BY tenantId`,
  row,
}
