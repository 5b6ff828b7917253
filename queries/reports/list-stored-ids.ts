import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { at, sql, uuids } from '../sql/sql.ts'

/** Ids of the tenants' reports that were received within the times, both included. */
export function listStoredIds(tenantIds: readonly string[], from: Date, to: Date): Query<{ id: string }> {
  return {
    name: 'listStoredIds',
    statement: sql`
      SELECT toString(id) AS id
      FROM reports
      WHERE tenant_id IN ${uuids(tenantIds)} AND received_at >= ${at(from)} AND received_at <= ${at(to)}`,
    row: z.object({ id: z.string() }),
    pool: 'maintenance',
  }
}
