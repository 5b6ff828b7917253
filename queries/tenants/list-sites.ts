import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

/** Hosts are lower case; `*.example.com` is every subdomain. */
const row = z.object({
  id: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  token: z.string(),
  sampleRates: z.record(z.string(), z.number()),
  createdAt: rowTime,
})

export type Site = z.infer<typeof row>

export function listSites(tenantId: string): Query<Site> {
  return {
    name: 'listSites',
    statement: sql`
      SELECT id, name, hosts, token, sample_rates AS sampleRates, created_at AS createdAt
      FROM sites FINAL
      WHERE tenant_id = ${uuid(tenantId)}
      ORDER BY createdAt, id`,
    row,
  }
}
