/** @module Windows of requests and cursors: Rules 18 to 21 and 27. */

import { dayMs } from '../../durations.ts'
import { Problem } from '../../problems.ts'
import type { TimeRange } from './time-range.ts'

export interface WindowPolicy {
  readonly defaultDays: number
  readonly maxDays: number
}

export type WindowRule = WindowPolicy | 'retention'

/** Windows that end now end with it, so that all who read within it read the same window. */
const sharedEndMs = 10_000

/** The next whole 10 s: `to` is exclusive, and a report from this millisecond is within the window. */
const sharedEnd = (now: Date): number => (Math.floor(now.getTime() / sharedEndMs) + 1) * sharedEndMs

interface RequestedWindow {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** Length in milliseconds, instead of both ends. */
  readonly last?: number | undefined
}

/** Throws bad_request that names the parameter. */
export function windowOf(
  { defaultDays, maxDays }: WindowPolicy,
  requested: RequestedWindow,
  now: Date,
  retentionFrom: Date,
): TimeRange {
  const to = requested.to?.getTime() ?? endOf(now, requested.from, maxDays)
  const from =
    requested.from?.getTime() ?? Math.max(to - (requested.last ?? defaultDays * dayMs), retentionFrom.getTime())
  if (requested.from && from < retentionFrom.getTime()) {
    throw new Problem('bad_request', `from must not be before the start of retention, ${retentionFrom.toISOString()}`)
  }
  if (from >= to) {
    const bounds = `${new Date(from).toISOString()} is not before ${new Date(to).toISOString()}`
    throw new Problem(
      'bad_request',
      requested.from ? `from must be before to: ${bounds}` : `to must be after the start of retention: ${bounds}`,
    )
  }
  if (to - from > maxDays * dayMs) {
    throw new Problem('bad_request', `from and to must be at most ${maxDays} days apart`)
  }
  return { from, to }
}

/** An early `from` shortens the window's end, as long as the end is not before now. */
function endOf(now: Date, from: Date | undefined, maxDays: number): number {
  const latest = from ? from.getTime() + maxDays * dayMs : Number.POSITIVE_INFINITY
  return Math.max(now.getTime(), Math.min(sharedEnd(now), latest))
}

/** Undefined if retention does not reach all of it. */
export function earlierWindow(window: TimeRange, retentionFrom: Date): TimeRange | undefined {
  const { from, to } = window
  const earlier = { ...window, from: from - (to - from), to: from }
  return earlier.from >= retentionFrom.getTime() ? earlier : undefined
}

export const toReadWindow = ({ from, to }: TimeRange) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
})

/** A window whose start was shortened to retention begins with a day. */
export const isWindowOfLast = ({ from, to }: TimeRange, last: number): boolean =>
  to - from === last || (to - from < last && from % dayMs === 0)

/** The part of a cursor's window within retention; undefined for an impossible window. */
export function frozenWindow(rule: WindowRule, frozen: TimeRange, retentionFrom: Date): TimeRange | undefined {
  const longest = rule === 'retention' ? Number.POSITIVE_INFINITY : rule.maxDays * dayMs
  if (frozen.from >= frozen.to || frozen.to - frozen.from > longest) return undefined
  const from = Math.max(frozen.from, retentionFrom.getTime())
  return { from, to: Math.max(from, frozen.to) }
}
