/** @module A histogram with estimates, whose buckets can be those of a time zone: queries of one row each, and its buckets. */

import { z } from 'zod'
import type { ReportFilter } from '../../schema/report-filter.ts'
import { type Buckets, bucketOfSlot } from '../../schema/rules/time/buckets.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import { estimate } from '../../schema/rules/weights.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSums, rowIntegers } from '../sql/rows.ts'
import { sql } from '../sql/sql.ts'

export interface BucketQuery {
  readonly tenantId: string
  readonly window: TimeRange
  readonly filter: ReportFilter
  readonly buckets: Buckets
}

const row = z
  .object({ slots: rowIntegers, counts: rowIntegers, weights: rowBigSums })
  .refine(
    ({ slots, counts, weights }) => slots.length === counts.length && slots.length === weights.length,
    'Expected as many counts and weights as slots',
  )

type SlotTallies = z.output<typeof row>

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
    row,
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
