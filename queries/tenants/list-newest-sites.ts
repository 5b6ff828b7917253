import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'

const row = z.object({ tenantId: z.string(), siteId: z.string(), createdAt: rowTime })

/** Newest sites of all tenants, for metrics. */
export function listNewestSites(limit: number): Query<z.infer<typeof row>> {
  return {
    name: 'listNewestSites',
    statement: sql`
      SELECT tenant_id AS tenantId, id AS siteId, created_at AS createdAt
      FROM sites FINAL
      ORDER BY createdAt DESC, siteId
      LIMIT ${uint(limit)}`,
    row,
    pool: 'lookup',
  }
}
