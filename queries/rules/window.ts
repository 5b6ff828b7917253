import { dayMs } from '../../schema/durations.ts'
import { Problem } from '../../schema/problems.ts'
import type { TimeRange } from '../rollups/time-range.ts'

/** The window an operation reads: its default and longest length, in days (contract, Limits). */
export interface WindowPolicy {
  readonly defaultDays: number
  readonly maxDays: number
}

/** What an operation reads: a window that the caller may choose, or all that retention holds. */
export type WindowRule = WindowPolicy | 'retention'

/**
 * The window of a request (contract, convention 3; decisions, Windows). A default `from` is clamped to retention, an
 * explicit one is refused. Throws bad_request naming the parameter.
 * @param retentionFrom the first moment retention reaches.
 */
export function windowOf(
  { defaultDays, maxDays }: WindowPolicy,
  asked: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  now: Date,
  retentionFrom: Date,
): TimeRange {
  const to = (asked.to ?? now).getTime()
  const from = asked.from?.getTime() ?? Math.max(to - defaultDays * dayMs, retentionFrom.getTime())
  if (asked.from && from < retentionFrom.getTime()) {
    throw new Problem(
      'bad_request',
      `from reaches back beyond retention, which begins at ${retentionFrom.toISOString()}`,
    )
  }
  if (from >= to) {
    const bounds = `${new Date(from).toISOString()} is not before ${new Date(to).toISOString()}`
    throw new Problem(
      'bad_request',
      asked.from ? `from must be before to: ${bounds}` : `to must be after the start of retention: ${bounds}`,
    )
  }
  if (to - from > maxDays * dayMs) {
    throw new Problem('bad_request', `from and to are further apart than the ${maxDays} days this operation reads`)
  }
  return { from, to }
}

/** The range of equal length just before a window; undefined where retention does not reach all of it. */
export function earlierWindow({ from, to }: TimeRange, retentionFrom: Date): TimeRange | undefined {
  const earlier = { from: from - (to - from), to: from }
  return earlier.from >= retentionFrom.getTime() ? earlier : undefined
}

/**
 * A cursor's window, frozen when its first page was read: what of it retention still reaches. Undefined where no
 * cursor of the operation can hold it.
 */
export function frozenWindow(rule: WindowRule, frozen: TimeRange, retentionFrom: Date): TimeRange | undefined {
  const longest = rule === 'retention' ? Number.POSITIVE_INFINITY : rule.maxDays * dayMs
  if (frozen.from >= frozen.to || frozen.to - frozen.from > longest) return undefined
  const from = Math.max(frozen.from, retentionFrom.getTime())
  return { from, to: Math.max(from, frozen.to) }
}
