import type { MiddlewareHandler } from 'hono'
import { type Capability, lowestPlanWith } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import type { Caller } from './authenticator.ts'
import type { Endpoint, Requirement } from './endpoint.ts'
import type { ApiEnv } from './request-context.ts'

/** Throws plan_upgrade_required for the first requirement that the tenant does not meet. */
export function requirePlan({ requires = [] }: Endpoint): MiddlewareHandler<ApiEnv> {
  return async function requirePlan(c, next) {
    const caller = c.get('caller')
    const { tenant } = caller
    for (const { capability, when, unless } of requires) {
      const value = when && c.get('query')[when.parameter]
      if (when && (value === undefined || (when.is !== undefined && when.is !== value))) continue
      if (tenant.entitlements.capabilities.includes(capability)) continue
      if (unless && (await c.get('reader').read(unless.query(tenant.id))).length > 0) continue
      requireCapability(caller, capability, when ? `${parameterText(when)} (${capability})` : capability)
    }
    await next()
  }
}

/** Throws plan_upgrade_required, naming the lowest plan with the capability. */
export function requireCapability({ tenant }: Caller, capability: Capability, subject: string): void {
  if (tenant.entitlements.capabilities.includes(capability)) return
  throw new Problem(
    'plan_upgrade_required',
    `The ${tenant.plan} plan does not include ${subject}; the ${lowestPlanWith(capability)} plan and above do`,
  )
}

const parameterText = ({ parameter, is }: NonNullable<Requirement['when']>) =>
  is === undefined ? parameter : `${parameter}=${is}`

export function describeRequirement({ capability, when, unless }: Requirement): string {
  const subject = when ? `\`${parameterText(when)}\`` : 'This'
  const plan = `the ${lowestPlanWith(capability)} plan or above (\`${capability}\`)`
  return `${subject} needs ${plan}${unless ? `, unless ${unless.description}` : ''}.`
}
