import { dayMs } from '../../durations.ts'
import type { TimeRange } from './time-range.ts'

/** A range of time with one offset of the zone's clock from UTC, in milliseconds. */
export interface OffsetRange extends TimeRange {
  readonly offset: number
}

/**
 * Ranges that cover the given range, in order.
 * @param timeZone an IANA name; no zone changes its offset twice per day.
 */
export function zoneOffsets(timeZone: string, { from, to }: TimeRange): OffsetRange[] {
  const offsetAt = createClock(timeZone)
  const ranges: OffsetRange[] = []
  let [start, offset] = [from, offsetAt(from)]
  for (let time = from; time < to; ) {
    const next = Math.min(to, time + dayMs)
    const nextOffset = offsetAt(next)
    if (nextOffset !== offset) {
      const change = findChange(offsetAt, { from: time, to: next })
      ranges.push({ from: start, to: change, offset })
      ;[start, offset] = [change, nextOffset]
    }
    time = next
  }
  if (start < to) ranges.push({ from: start, to, offset })
  return ranges
}

/** First millisecond with another offset than that of `from`, by bisection. */
function findChange(offsetAt: (time: number) => number, { from, to }: TimeRange): number {
  const before = offsetAt(from)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}

/** `GMT`, `GMT+05:30`. */
const offsetPattern = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

function createClock(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (time) => {
    const text = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const match = offsetPattern.exec(text)
    if (!match) throw new Error(`${timeZone} has no offset: ${text}`)
    const [, sign, hours = 0, minutes = 0, seconds = 0] = match
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
    return sign === '-' ? -offset : offset
  }
}
