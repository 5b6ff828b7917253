import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { sql, uint, uuid } from '../sql/sql.ts'

const row = z.object({
  generation: rowCount,
  id: z.string(),
  kind: z.string(),
  holder: z.string(),
  isHeld: z.boolean(),
})

/**
 * The latest claim or renewal; no row before the first. Without FINAL it reads only the end of the primary key: a live
 * import has one generation per batch.
 * @param expiresAfterMs time without renewal, by ClickHouse's clock.
 */
export function findLease(leaseId: string, expiresAfterMs: number): Query<z.infer<typeof row>> {
  return {
    name: 'findLease',
    statement: sql`
      SELECT generation, id, kind, holder,
        (NOT released AND renewed_at > now64(3) - toIntervalMillisecond(${uint(expiresAfterMs)}))::Bool AS isHeld
      FROM import_leases
      WHERE tenant_id = ${uuid(leaseId)}
      ORDER BY generation DESC, renewed_at DESC, released DESC
      LIMIT 1`,
    row,
  }
}
