import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid, uuids } from '../sql/sql.ts'

const row = z.object({ id: z.string(), name: z.string() })

/** Ids that belong to the tenant's sites. */
export function findSites(tenantId: string, siteIds: readonly string[]): Query<z.infer<typeof row>> {
  return {
    name: 'findSites',
    statement: sql`SELECT id, name FROM sites FINAL WHERE tenant_id = ${uuid(tenantId)} AND id IN ${uuids(siteIds)}`,
    row,
    pool: 'lookup',
  }
}
