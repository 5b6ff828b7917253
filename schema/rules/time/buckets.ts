/** @module Buckets of a histogram over a window (Rule 32): multiples of their size in UTC, days and hours of a time zone. */

import { dayMs, hourMs } from '../../durations.ts'
import { type BucketSize, bucketSizes } from '../../enumerations.ts'
import type { TimeRange } from './time-range.ts'
import { zoneOffsets } from './zone-offsets.ts'

export interface Buckets {
  /** Milliseconds since the Unix epoch; the first bucket has the start of the window, the last its end. */
  readonly starts: readonly number[]
  /** End of the last bucket. */
  readonly end: number
  /** Milliseconds; each start is a multiple of it, so that a slot is in one bucket. */
  readonly slot: number
  /** The window, or a range for each bucket if rollups that are coarser than a slot can serve a bucket's interior. */
  readonly ranges: readonly TimeRange[]
  /** Milliseconds; a multiple of the grains that can serve the ranges. */
  readonly grain: number
}

/** @param timeZone of IANA; UTC by default. */
export function bucketsOf(window: TimeRange, size: BucketSize, timeZone = 'UTC'): Buckets {
  const width = bucketSizes[size]
  // Zones are whole quarters of an hour from UTC; computing their days or hours costs 1 ms.
  if (timeZone === 'UTC' || width < hourMs) return utcBuckets(window, width)
  // The longest days have 25 hours.
  const around = { from: window.from - 2 * dayMs, to: window.to + 2 * dayMs }
  const times = width === dayMs ? dayStarts(timeZone, around) : clockStarts(timeZone, around, width)
  const first = times.findLastIndex((time) => time <= window.from)
  const last = times.findIndex((time) => time >= window.to)
  const [starts, end = window.to] = [times.slice(first, last), times[last]]
  const slot = [...starts, end].reduce(greatestCommonDivisor)
  // In Kolkata days begin within hours, so all their hours except two are complete.
  if (width <= hourMs || slot % hourMs === 0) return { starts, end, slot, ranges: [window], grain: slot }
  const ranges = starts.map((start, index) => ({
    ...window,
    from: Math.max(start, window.from),
    to: Math.min(starts[index + 1] ?? end, window.to),
  }))
  return { starts, end, slot, ranges, grain: hourMs }
}

function utcBuckets(window: TimeRange, width: number): Buckets {
  const [first, last] = [Math.floor(window.from / width), Math.ceil(window.to / width)]
  const starts = Array.from({ length: last - first }, (_, index) => (first + index) * width)
  return { starts, end: last * width, slot: width, ranges: [window], grain: width }
}

/**
 * Times at which the zone's clock shows a multiple of the width: an hour is longer if a clock change skips a whole one.
 */
function clockStarts(timeZone: string, around: TimeRange, width: number): number[] {
  return zoneOffsets(timeZone, around).flatMap(({ from, to, offset }) => {
    const starts: number[] = []
    for (let start = roundUp(from + offset, width) - offset; start < to; start += width) starts.push(start)
    return starts
  })
}

/** First times of the zone's dates: some changes skip a midnight, others repeat one. */
function dayStarts(timeZone: string, around: TimeRange): number[] {
  const starts: number[] = []
  let latest = Number.NEGATIVE_INFINITY
  for (const { from, to, offset } of zoneOffsets(timeZone, around)) {
    for (let start = from; start < to; start = roundUp(start + offset + 1, dayMs) - offset) {
      const date = Math.floor((start + offset) / dayMs)
      if (date > latest) starts.push(start)
      latest = Math.max(latest, date)
    }
  }
  return starts
}

/** Index of the bucket that has a slot; undefined outside of the buckets. */
export function bucketOfSlot({ starts, end, slot }: Buckets): (slotNumber: number) => number | undefined {
  const from = starts[0] ?? end
  // A histogram has at most 10,000 buckets.
  const indexes = new Uint16Array((end - from) / slot)
  for (const [index, start] of starts.entries()) {
    indexes.fill(index, (start - from) / slot, ((starts[index + 1] ?? end) - from) / slot)
  }
  return (slotNumber) => indexes[slotNumber - from / slot]
}

const roundUp = (value: number, width: number) => Math.ceil(value / width) * width

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? Math.abs(a) : greatestCommonDivisor(b, a % b)
