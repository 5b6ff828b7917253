import { hash } from 'node:crypto'
import { hourMs, minuteMs } from '../../../../schema/durations.ts'

/** Pauses before each attempt: 16 hours, so within the day in which an alert counts (Rule 68). */
const pausesMs = [
  ...[0, 5_000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs],
  ...[hourMs, 2 * hourMs, 4 * hourMs, 8 * hourMs],
]

export const maxAttempts = pausesMs.length

/** Share of a pause, so that the alerts of an outage are not all repeated at the same time. */
const jitter = 0.2

interface Attempts {
  readonly deliveryId: string
  readonly count: number
  /** Undefined before the first. */
  readonly lastAt: Date | undefined
  readonly retryAt: Date | undefined
}

/** Time of the next attempt; deterministic. */
export function nextAttemptAt({ deliveryId, count, lastAt, retryAt }: Attempts): number {
  if (!lastAt) return 0
  const fraction = Number.parseInt(hash('md5', `${deliveryId} ${count}`, 'hex').slice(0, 8), 16) / 0xffff_ffff
  const pause = (pausesMs[count] ?? 0) * (1 - jitter + 2 * jitter * fraction)
  return Math.max(lastAt.getTime() + pause, retryAt?.getTime() ?? 0)
}
