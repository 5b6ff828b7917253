import { z } from 'zod'
import { type Plan, type PlanOverrides, planNames, planOverrides } from '../../schema/plans.ts'
import type { Query } from '../sql/query.ts'
import { rowJson } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

export interface Tenant {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly overrides: PlanOverrides
}

export const rowOverrides = rowJson(planOverrides, '{}')

const row: z.ZodType<Tenant> = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(planNames),
  overrides: rowOverrides,
})

/** One row or none. */
export function findTenant(id: string): Query<Tenant> {
  return {
    name: 'findTenant',
    statement: sql`SELECT id, name, plan, overrides FROM tenants FINAL WHERE id = ${uuid(id)}`,
    row,
  }
}
