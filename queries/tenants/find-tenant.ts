import { z } from 'zod'
import { planNames, planOverrides } from '../../schema/plans.ts'
import type { Query } from '../sql/query.ts'
import { rowJson } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

export const rowOverrides = rowJson(planOverrides, '{}')

const row = z.object({ id: z.string(), name: z.string(), plan: z.enum(planNames), overrides: rowOverrides })

export type Tenant = z.infer<typeof row>

export function findTenant(id: string): Query<Tenant> {
  return {
    name: 'findTenant',
    statement: sql`SELECT id, name, plan, overrides FROM tenants FINAL WHERE id = ${uuid(id)}`,
    row,
  }
}
