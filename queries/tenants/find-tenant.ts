import { z } from 'zod'
import { type Plan, type PlanOverrides, planNames, planOverrides } from '../../schema/plans.ts'
import type { Query } from '../query.ts'
import { sql, uuid } from '../sql.ts'

/** A tenant as it stands now. */
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly overrides: PlanOverrides
}

const row: z.ZodType<Tenant> = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(planNames),
  overrides: z
    .string()
    .transform((json): unknown => JSON.parse(json))
    .pipe(planOverrides),
})

/** The tenant, or no row. */
export function findTenant(id: string): Query<Tenant> {
  return {
    name: 'findTenant',
    statement: sql`SELECT id, name, plan, overrides FROM tenants FINAL WHERE id = ${uuid(id)}`,
    row,
  }
}
