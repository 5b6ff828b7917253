import { z } from 'zod'
import { planNames } from '../../schema/plans.ts'
import type { Query } from '../sql/query.ts'
import { sql, text } from '../sql/sql.ts'
import { rowOverrides } from './find-tenant.ts'

const row = z.object({
  id: z.string(),
  tenantId: z.string(),
  hosts: z.array(z.string()),
  sampleRates: z.record(z.string(), z.number()),
  plan: z.enum(planNames),
  overrides: rowOverrides,
})

export type FoundSite = z.infer<typeof row>

/** One row or none; runs before its tenant is known, as a report's address names no tenant. */
export function findSiteByToken(token: string): Query<FoundSite> {
  return {
    name: 'findSiteByToken',
    statement: sql`
      SELECT s.id AS id, s.tenant_id AS tenantId, s.hosts AS hosts, s.sample_rates AS sampleRates,
        toString(t.plan) AS plan, t.overrides AS overrides
      FROM (SELECT * FROM sites FINAL WHERE token = ${text(token)}) AS s
      INNER JOIN (SELECT * FROM tenants FINAL) AS t ON t.id = s.tenant_id
      LIMIT 1`,
    row,
    pool: 'lookup',
  }
}
