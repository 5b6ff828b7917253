import { z } from 'zod'
import { dayMs, hourMs, minuteMs } from '../../schema/durations.ts'
import { type BucketSize, bucketSizeNames, bucketSizes } from '../../schema/enumerations.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { TimeRange } from '../rollups/time-range.ts'
import type { Query } from '../sql/query.ts'
import { rowIntegers } from '../sql/rows.ts'
import { sql, uint } from '../sql/sql.ts'

const row = z
  .object({ slots: rowIntegers, counts: rowIntegers })
  .refine(({ slots, counts }) => slots.length === counts.length, 'Expected as many counts as slots')

/**
 * Counts of buckets, side by side because an object for each of 10,000 costs more than the engine's part. A slot is a
 * bucket's start in bucket widths since the Unix epoch; it can stand in several, and its counts add up.
 */
type SlotCounts = z.infer<typeof row>

/** Reports by bucket: queries to run side by side, of one row each, for `toBuckets`. */
export function histogramReports(
  tenantId: string,
  window: TimeRange,
  filter: ReportFilter,
  bucketSize: BucketSize,
): Query<SlotCounts>[] {
  const bucket = bucketSizes[bucketSize]
  const slots = {
    received_at: sql`intDiv(toUnixTimestamp64Milli(received_at), ${uint(bucket)})`,
    bucket: sql`intDiv(toUnixTimestamp(bucket), ${uint(bucket / 1000)})`,
  }
  return countSlices({ tenantId, ...filter, groupBy: [], windows: [window], bucket }).map(
    ({ from, time, measure }) => ({
      name: 'histogramReports',
      statement: sql`SELECT groupArray(slot) AS slots, groupArray(counted) AS counts FROM (SELECT ${slots[time]} AS slot, ${measure.reportCount()} AS counted ${from} GROUP BY slot)`,
      row,
    }),
  )
}

/** `T12:34:00.000Z` of every minute of a day: each Date written out would cost more than all else of a bucket. */
const minuteTexts = Array.from({ length: dayMs / minuteMs }, (_, index) =>
  new Date(index * minuteMs).toISOString().slice(10),
)

/** Every bucket from the one that holds `from` up to `to`, empty ones included (decisions, Reports). */
export function toBuckets(counted: readonly SlotCounts[], window: TimeRange, bucketSize: BucketSize) {
  const width = bucketSizes[bucketSize]
  const first = Math.floor(window.from / width)
  // What lies outside is left out by itself.
  const totals = new Float64Array(Math.max(0, Math.ceil(window.to / width) - first))
  for (const { slots, counts } of counted) {
    for (const [index, slot] of slots.entries()) {
      totals[slot - first] = (totals[slot - first] ?? 0) + (counts[index] ?? 0)
    }
  }
  const buckets: { time: string; reportCount: number }[] = []
  let [dayAt, dayText] = [Number.NaN, '']
  for (const [index, reportCount] of totals.entries()) {
    const time = (first + index) * width
    const sinceMidnight = time % dayMs
    if (time - sinceMidnight !== dayAt) {
      dayAt = time - sinceMidnight
      dayText = new Date(dayAt).toISOString().slice(0, 10)
    }
    buckets.push({ time: dayText + minuteTexts[sinceMidnight / minuteMs], reportCount })
  }
  return buckets
}

/** More buckets than this are never answered (contract, Limits). */
const maxBuckets = 10_000

/** Windows up to the first length get the second's buckets (decisions, Reports). */
const defaultBucketSizes: readonly (readonly [number, BucketSize])[] = [
  [2 * hourMs, '1m'],
  [12 * hourMs, '5m'],
  [48 * hourMs, '15m'],
  [14 * 24 * hourMs, '1h'],
  [Number.POSITIVE_INFINITY, '1d'],
]

/** The bucket size asked for or fit for the window, widened until the window needs no more than 10,000 buckets. */
export function chooseBucketSize(window: TimeRange, asked: BucketSize | undefined): BucketSize {
  const length = window.to - window.from
  const wanted = asked ?? defaultBucketSizes.find(([upTo]) => length <= upTo)?.[1] ?? '1d'
  const wideEnough = bucketSizeNames.slice(bucketSizeNames.indexOf(wanted)).find((size) => {
    const width = bucketSizes[size]
    return Math.ceil(window.to / width) - Math.floor(window.from / width) <= maxBuckets
  })
  return wideEnough ?? '1d'
}
