/**
 * @module Histograms, with estimates and in time zones too: queries of one row each to run concurrently, the buckets of all
 * their rows, and the default bucket size.
 */

import { z } from 'zod'
import { dayMs, hourMs, minuteMs } from '../../schema/durations.ts'
import { type BucketSize, bucketSizeNames, bucketSizes } from '../../schema/enumerations.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { type Buckets, bucketOfSlot } from '../../schema/rules/time/buckets.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { estimate } from '../../schema/rules/weights.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSums, rowIntegers } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

/** Arrays, because 10,000 row objects cost more than ClickHouse's share. A slot is a bucket's number since 1970. */
const histogramReportRow = z
  .object({ slots: rowIntegers, counts: rowIntegers })
  .refine(({ slots, counts }) => slots.length === counts.length, 'Expected as many counts as slots')

type SlotCounts = z.infer<typeof histogramReportRow>

export function histogramReports(
  tenantId: string,
  window: TimeRange,
  filter: ReportFilter,
  bucketSize: BucketSize,
): Query<SlotCounts>[] {
  const bucket = bucketSizes[bucketSize]
  return countSlices({ tenantId, ...filter, groupBy: [], windows: [window], bucket }).map(
    ({ from, time, measure, fewRows }) => ({
      name: 'histogramReports',
      statement: sql`
        SELECT groupArray(slot) AS slots, groupArray(counted) AS counts
        FROM (SELECT ${time.slot(bucket)} AS slot, ${measure.reportCount()} AS counted ${from} GROUP BY slot)`,
      row: histogramReportRow,
      fewRows,
    }),
  )
}

/** `T12:34:00.000Z` of each minute of a day: formatting a Date costs more than the rest of a bucket. */
const minuteTexts = Array.from({ length: dayMs / minuteMs }, (_, index) =>
  new Date(index * minuteMs).toISOString().slice(10),
)

/** Rule 32. A slot can be in several rows. */
export function toBuckets(rows: readonly SlotCounts[], window: TimeRange, bucketSize: BucketSize) {
  const width = bucketSizes[bucketSize]
  const first = Math.floor(window.from / width)
  // Slots outside the array's bounds are ignored.
  const totals = new Float64Array(Math.max(0, Math.ceil(window.to / width) - first))
  for (const { slots, counts } of rows) {
    for (const [index, slot] of slots.entries()) {
      totals[slot - first] = (totals[slot - first] ?? 0) + (counts[index] ?? 0)
    }
  }
  const buckets: { time: string; reportCount: number }[] = []
  let [midnight, date] = [Number.NaN, '']
  for (const [index, reportCount] of totals.entries()) {
    const time = (first + index) * width
    const sinceMidnight = time % dayMs
    if (time - sinceMidnight !== midnight) {
      midnight = time - sinceMidnight
      date = new Date(midnight).toISOString().slice(0, 10)
    }
    buckets.push({ time: date + minuteTexts[sinceMidnight / minuteMs], reportCount })
  }
  return buckets
}

/** Buckets of a response. */
export const maxBuckets = 10_000

/** Bucket size by the longest window it is the default of (Rule 33). */
const defaultBucketSizes: readonly (readonly [number, BucketSize])[] = [
  [2 * hourMs, '1m'],
  [12 * hourMs, '5m'],
  [48 * hourMs, '15m'],
  [14 * dayMs, '1h'],
  [Number.POSITIVE_INFINITY, '1d'],
]

/** @param most buckets, as far as wider ones allow. */
export function chooseBucketSize(
  window: TimeRange,
  requested: BucketSize | undefined,
  most: number = maxBuckets,
): BucketSize {
  const length = window.to - window.from
  const wanted = requested ?? defaultBucketSizes.find(([upTo]) => length <= upTo)?.[1] ?? '1d'
  const wideEnough = bucketSizeNames.slice(bucketSizeNames.indexOf(wanted)).find((size) => {
    const width = bucketSizes[size]
    return Math.ceil(window.to / width) - Math.floor(window.from / width) <= most
  })
  return wideEnough ?? '1d'
}

export interface BucketQuery {
  readonly tenantId: string
  readonly window: TimeRange
  readonly filter: ReportFilter
  readonly buckets: Buckets
}

const estimateHistogramRow = z
  .object({ slots: rowIntegers, counts: rowIntegers, weights: rowBigSums })
  .refine(
    ({ slots, counts, weights }) => slots.length === counts.length && slots.length === weights.length,
    'Expected as many counts and weights as slots',
  )

type SlotTallies = z.output<typeof estimateHistogramRow>

/** Queries to run concurrently, for `toEstimatedBuckets`. */
export function estimateHistogram({ tenantId, filter, buckets }: BucketQuery): Query<SlotTallies>[] {
  const { ranges: windows, grain: bucket, slot } = buckets
  return countSlices({ tenantId, ...filter, groupBy: [], windows, bucket }).map(({ from, time, measure, fewRows }) => ({
    name: 'estimateHistogram',
    statement: sql`
      SELECT groupArray(slot) AS slots, groupArray(counted) AS counts, groupArray(toString(weighed)) AS weights
      FROM (
        SELECT ${time.slot(slot)} AS slot, ${measure.reportCount()} AS counted, ${measure.weight} AS weighed
        ${from}
        GROUP BY slot)`,
    row: estimateHistogramRow,
    fewRows,
  }))
}

interface EstimatedBucket {
  readonly time: string
  readonly reportCount: number
  readonly estimatedReportCount: number
  /** Absent from buckets that are completely in the window. */
  readonly partial?: true
}

/** Empty buckets included. A slot can be in several rows. */
export function toEstimatedBuckets(
  rows: readonly SlotTallies[],
  { window, buckets }: Pick<BucketQuery, 'window' | 'buckets'>,
): EstimatedBucket[] {
  const { starts, end } = buckets
  // Arrays of numbers: 10,000 buckets in series have 100,000 tallies.
  const [reportCounts, sums] = [new Float64Array(starts.length), new BigUint64Array(starts.length)]
  const indexOf = bucketOfSlot(buckets)
  for (const { slots, counts, weights } of rows) {
    for (const [at, slot] of slots.entries()) {
      const index = indexOf(slot)
      if (index === undefined) continue
      reportCounts[index] = (reportCounts[index] ?? 0) + (counts[at] ?? 0)
      sums[index] = (sums[index] ?? 0n) + (weights[at] ?? 0n)
    }
  }
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? end
    const isCut = start < window.from || next > window.to
    return {
      time: new Date(start).toISOString(),
      reportCount: reportCounts[index] ?? 0,
      estimatedReportCount: estimate({ weight: sums[index] ?? 0n }),
      ...(isCut && { partial: true as const }),
    }
  })
}
