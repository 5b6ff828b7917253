import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ id: z.string(), name: z.string() })

export function findSite(tenantId: string, siteId: string): Query<z.infer<typeof row>> {
  return {
    name: 'findSite',
    statement: sql`SELECT id, name FROM sites FINAL WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}`,
    row,
    pool: 'lookup',
  }
}
