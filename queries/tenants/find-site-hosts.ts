import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({ hosts: z.array(z.string()) })

/** Hosts are lower case; `*.example.com` is every subdomain. */
export function findSiteHosts(tenantId: string, siteId: string): Query<z.infer<typeof row>> {
  return {
    name: 'findSiteHosts',
    statement: sql`SELECT hosts FROM sites FINAL WHERE tenant_id = ${uuid(tenantId)} AND id = ${uuid(siteId)}`,
    row,
    pool: 'lookup',
  }
}
