import { dayMs, minuteMs } from '../../durations.ts'
import { type Entitlements, entitlements, type Plan, type PlanOverrides } from '../../plans.ts'
import type { ExpiredRows } from './time-range.ts'

/** A tenant's plan from a time on, in milliseconds since the Unix epoch. */
export interface PlanVersion {
  readonly since: number
  readonly plan: Plan
  readonly overrides: PlanOverrides
}

interface PlanHistory {
  readonly entitlements: Pick<Entitlements, 'retentionDays'>
  /** The earliest first; the last is the current one. */
  readonly planVersions?: readonly PlanVersion[]
}

/** Collectors use a new retention within 5 s. */
const endOfDay = (time: number) => (Math.floor((time + minuteMs) / dayMs) + 1) * dayMs

/**
 * Rows that the disk can have for two weeks more, and that a raised retention would reach. Undefined for none since the
 * start of retention, in milliseconds since the Unix epoch.
 */
export function expiredRows(
  { entitlements: { retentionDays }, planVersions = [] }: PlanHistory,
  retentionFrom: number,
): ExpiredRows | undefined {
  const today = retentionFrom + retentionDays * dayMs
  const ends = planVersions.slice(1).map(({ since }, index) => {
    const { plan, overrides } = planVersions[index] as PlanVersion
    return Math.min(endOfDay(since), today - entitlements(plan, overrides).retentionDays * dayMs)
  })
  const before = Math.max(...ends)
  return before > retentionFrom ? { before, today } : undefined
}
