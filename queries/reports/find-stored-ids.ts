import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { at, sql, uuid, uuids } from '../sql/sql.ts'

/** Ids that the tenant's reports have, received within the times, both included. */
export function findStoredIds(tenantId: string, from: Date, to: Date, ids: readonly string[]): Query<{ id: string }> {
  return {
    name: 'findStoredIds',
    statement: sql`
      SELECT toString(r.id) AS id
      FROM reports AS r
      WHERE r.tenant_id = ${uuid(tenantId)} AND r.received_at >= ${at(from)} AND r.received_at <= ${at(to)}
        AND r.id IN ${uuids(ids)}`,
    row: z.object({ id: z.string() }),
    pool: 'maintenance',
  }
}
