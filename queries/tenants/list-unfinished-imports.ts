import { z } from 'zod'
import type { Query } from '../query.ts'
import { rowCount } from '../rows.ts'
import { sql } from '../sql.ts'

const row = z.object({ tenantId: z.string(), batches: rowCount })

/** Tenants of imports that run or were cut off, with the batches that were begun and not finished. */
export const listUnfinishedImports: Query<z.infer<typeof row>> = {
  name: 'listUnfinishedImports',
  statement: sql`SELECT tenant_id AS tenantId, count() AS batches FROM (
      SELECT tenant_id, token, hosts FROM import_batches
      GROUP BY tenant_id, previous_token, token, hosts HAVING countIf(state = 'done') = 0
    ) GROUP BY tenantId ORDER BY tenantId`,
  row,
}
