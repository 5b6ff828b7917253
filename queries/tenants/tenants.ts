import { z } from 'zod'
import { planNames, planOverrides } from '../../schema/plans.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowJson, rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

export const rowOverrides = rowJson(planOverrides, '{}')

const tenantRow = z.object({ id: z.string(), name: z.string(), plan: z.enum(planNames), overrides: rowOverrides })

export type Tenant = z.infer<typeof tenantRow>

export function findTenant(id: string): Query<Tenant> {
  return {
    name: 'findTenant',
    statement: sql`SELECT id, name, plan, overrides FROM tenants FINAL WHERE id = ${uuid(id)}`,
    row: tenantRow,
  }
}

const listedTenantRow = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(planNames),
  overrides: rowOverrides,
  sites: rowCount,
  createdAt: rowTime,
})

/** Oldest first. */
export const listTenants: Query<z.infer<typeof listedTenantRow>> = {
  name: 'listTenants',
  statement: sql`
    SELECT t.id AS id, t.name AS name, toString(t.plan) AS plan, t.overrides AS overrides, s.sites AS sites,
      t.created_at AS createdAt
    FROM (SELECT * FROM tenants FINAL) AS t
    LEFT JOIN (SELECT tenant_id, count() AS sites FROM sites FINAL GROUP BY tenant_id) AS s ON s.tenant_id = t.id
    ORDER BY createdAt, id`,
  row: listedTenantRow,
}
