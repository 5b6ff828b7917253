/** @module Plans and retention: Rules 4 to 6 and 21. */

import { z } from 'zod'
import { dayMs } from './durations.ts'

export const capabilities = [
  'api',
  'scripts.inventory',
  'pages.payment',
  'pages.scans',
  'scripts.authorization',
] as const

export type Capability = (typeof capabilities)[number]

/** Limits are requests per minute. */
export interface Entitlements {
  readonly retentionDays: number
  readonly keyLimit: number
  readonly tenantLimit: number
  readonly capabilities: readonly Capability[]
}

const evidence = ['api', 'scripts.inventory'] as const
const payment = [...evidence, 'pages.payment', 'pages.scans'] as const
const everything = [...payment, 'scripts.authorization'] as const

/** Lowest first. */
export const plans = {
  free: { retentionDays: 7, keyLimit: 60, tenantLimit: 60, capabilities: [] },
  team: { retentionDays: 30, keyLimit: 120, tenantLimit: 240, capabilities: evidence },
  professional: { retentionDays: 60, keyLimit: 300, tenantLimit: 900, capabilities: payment },
  business: { retentionDays: 90, keyLimit: 600, tenantLimit: 2400, capabilities: everything },
  enterprise: { retentionDays: 365, keyLimit: 1200, tenantLimit: 6000, capabilities: everything },
} as const satisfies Record<string, Entitlements>

export type Plan = keyof typeof plans

/** Reports per minute above which the collector stores a share, for sites without their own number. */
export const reportsPerMinute: Readonly<Record<Plan, number>> = {
  free: 6_000,
  team: 6_000,
  professional: 6_000,
  business: 60_000,
  enterprise: 60_000,
}

/** New issues, and new versions of scripts that browsers report, of a site and UTC day under their own names (Rule 82). */
const [few, many] = [
  { issue: 500, script: 200 },
  { issue: 5_000, script: 2_000 },
]

export const newValuesPerDay: Readonly<Record<Plan, Readonly<Record<'issue' | 'script', number>>>> = {
  free: few,
  team: few,
  professional: few,
  business: many,
  enterprise: many,
}

export const planNames = Object.keys(plans) as [Plan, ...Plan[]]

export function lowestPlanWith(capability: Capability): Plan {
  const lowest = planNames.find((plan) => (plans[plan].capabilities as readonly Capability[]).includes(capability))
  return lowest ?? 'enterprise'
}

export const planOverrides = z.strictObject({
  retentionDays: z.int().min(1).max(3650).optional(),
  keyLimit: z.int().min(1).max(1_000_000).optional(),
  tenantLimit: z.int().min(1).max(1_000_000).optional(),
  capabilities: z.array(z.enum(capabilities)).optional(),
})

export type PlanOverrides = z.infer<typeof planOverrides>

export function entitlements(plan: Plan, overrides: PlanOverrides): Entitlements {
  const set = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined))
  return { ...plans[plan], ...set }
}

export const budgetWindowSeconds = 60

export function retentionStart(retentionDays: number, now: Date): Date {
  return new Date((Math.floor(now.getTime() / dayMs) - retentionDays) * dayMs)
}
