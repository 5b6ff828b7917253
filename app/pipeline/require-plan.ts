import type { Read } from '../../queries/query.ts'
import { type Capability, lowestPlanWith } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import type { Caller } from './authenticator.ts'
import type { Need } from './endpoint.ts'

/** Throws plan_upgrade_required, naming the lowest plan that has it, where the tenant lacks a capability. */
export function requireCapability({ tenant }: Caller, capability: Capability, what: string): void {
  if (tenant.may.capabilities.includes(capability)) return
  throw new Problem(
    'plan_upgrade_required',
    `The ${tenant.plan} plan has no ${what}; the ${lowestPlanWith(capability)} plan and above have it`,
  )
}

/** Throws plan_upgrade_required for the first need that the request has and the tenant does not meet. */
export async function requireNeeds(
  needs: readonly Need[],
  caller: Caller,
  params: Readonly<Record<string, unknown>>,
  read: Read,
): Promise<void> {
  const { tenant } = caller
  for (const { capability, when, unless } of needs) {
    const value = when && params[when.parameter]
    if (when && (value === undefined || (when.is !== undefined && when.is !== value))) continue
    if (tenant.may.capabilities.includes(capability)) continue
    if (unless && (await read(unless.question(tenant.id))).length > 0) continue
    requireCapability(caller, capability, whatFor(when, capability))
  }
}

/** What is missing without a capability, by the parameter that asks for it. */
function whatFor(when: Need['when'], capability: Capability): string {
  return when ? `${parameterText(when)} (${capability})` : capability
}

const parameterText = ({ parameter, is }: NonNullable<Need['when']>) =>
  is === undefined ? parameter : `${parameter}=${is}`

/** A need as the reference says it. */
export function sayNeed({ capability, when, unless }: Need): string {
  const who = when ? `\`${parameterText(when)}\`` : 'This'
  const plan = `the ${lowestPlanWith(capability)} plan or above (\`${capability}\`)`
  return `${who} needs ${plan}${unless ? `, unless ${unless.says}` : ''}.`
}
