import { z } from 'zod'
import { type BucketSize, bucketSizeNames, bucketSizes } from '../../schema/enumerations.ts'
import type { ReportFilter } from '../../schema/report-filter.ts'
import type { Query } from '../query.ts'
import { rowCount } from '../rows.ts'
import type { Span } from '../rules/coverage.ts'
import { sql, uint } from '../sql.ts'
import { partsOf } from './sources.ts'

/** `time` is the bucket's start, in milliseconds since the Unix epoch. */
interface Bucket {
  readonly time: number
  readonly reportCount: number
}

const row = z.object({ time: z.int(), reportCount: rowCount })

/** Reports by bucket: queries to run side by side, for `toBuckets`. */
export function histogramReports(
  tenantId: string,
  window: Span,
  filter: ReportFilter,
  bucketSize: BucketSize,
): Query<Bucket>[] {
  const bucket = bucketSizes[bucketSize]
  return partsOf({ tenantId, ...filter, groupBy: [], windows: [window], bucket }).map(({ from, time, measure }) => ({
    name: 'histogramReports',
    statement: sql`SELECT intDiv(toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC')), ${uint(bucket)}) * ${uint(bucket)} AS time, ${measure.reportCount()} AS reportCount ${from} GROUP BY time`,
    row,
  }))
}

/** Every bucket from the one that holds `from` up to `to`, empty ones included (decisions, Reports). */
export function toBuckets(counted: readonly Bucket[], window: Span, bucketSize: BucketSize) {
  const width = bucketSizes[bucketSize]
  const counts = new Map<number, number>()
  for (const { time, reportCount } of counted) counts.set(time, (counts.get(time) ?? 0) + reportCount)
  const buckets: { time: string; reportCount: number }[] = []
  for (let time = Math.floor(window.from / width) * width; time < window.to; time += width) {
    buckets.push({ time: new Date(time).toISOString(), reportCount: counts.get(time) ?? 0 })
  }
  return buckets
}

/** More buckets than this are never answered (contract, Limits). */
const maxBuckets = 10_000

const hour = bucketSizes['1h']

/** Windows up to the first length get the second's buckets (decisions, Reports). */
const defaultBucketSizes: readonly (readonly [number, BucketSize])[] = [
  [2 * hour, '1m'],
  [12 * hour, '5m'],
  [48 * hour, '15m'],
  [14 * 24 * hour, '1h'],
  [Number.POSITIVE_INFINITY, '1d'],
]

/** The bucket size asked for or fit for the window, widened until the window needs no more than 10,000 buckets. */
export function chooseBucketSize(window: Span, asked: BucketSize | undefined): BucketSize {
  const length = window.to - window.from
  const wanted = asked ?? defaultBucketSizes.find(([upTo]) => length <= upTo)?.[1] ?? '1d'
  const wideEnough = bucketSizeNames.slice(bucketSizeNames.indexOf(wanted)).find((size) => {
    const width = bucketSizes[size]
    return Math.ceil(window.to / width) - Math.floor(window.from / width) <= maxBuckets
  })
  return wideEnough ?? '1d'
}
