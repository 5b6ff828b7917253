import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { sql, uuid } from '../sql/sql.ts'

export interface Site {
  readonly id: string
  readonly name: string
  /** Lower case; `*.example.com` is every subdomain. */
  readonly hosts: readonly string[]
}

const row: z.ZodType<Site> = z.object({ id: z.string(), name: z.string(), hosts: z.array(z.string()) })

/** Oldest first. */
export function listSites(tenantId: string): Query<Site> {
  return {
    name: 'listSites',
    statement: sql`
      SELECT id, name, hosts
      FROM sites FINAL
      WHERE tenant_id = ${uuid(tenantId)}
      ORDER BY created_at, id`,
    row,
  }
}
