import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ id: z.string(), siteId: z.string(), removed: z.boolean() })

/** Without pages of a site that is being deleted, because no scan of them may be stored. */
export function listPageSites(tenantId: string): Query<z.infer<typeof row>> {
  return {
    name: 'listPageSites',
    statement: sql`
      SELECT id, site_id AS siteId, removed
      FROM monitored_pages FINAL
      WHERE tenant_id = ${uuid(tenantId)} AND site_id IN (
        SELECT id
        FROM sites FINAL
        WHERE tenant_id = ${uuid(tenantId)}
      )`,
    row,
  }
}
