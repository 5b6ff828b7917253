import { z } from 'zod'
import { planNames } from '../../schema/plans.ts'
import type { Query } from '../sql/query.ts'
import { rowCount, rowTime } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'
import { rowOverrides } from './find-tenant.ts'

const row = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(planNames),
  overrides: rowOverrides,
  sites: rowCount,
  createdAt: rowTime,
})

/** Oldest first. */
export const listTenants: Query<z.infer<typeof row>> = {
  name: 'listTenants',
  statement: sql`
    SELECT t.id AS id, t.name AS name, toString(t.plan) AS plan, t.overrides AS overrides, s.sites AS sites,
      t.created_at AS createdAt
    FROM (SELECT * FROM tenants FINAL) AS t
    LEFT JOIN (SELECT tenant_id, count() AS sites FROM sites FINAL GROUP BY tenant_id) AS s ON s.tenant_id = t.id
    ORDER BY createdAt, id`,
  row,
}
