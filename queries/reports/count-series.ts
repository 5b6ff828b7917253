/** @module Series of a histogram: the counts of the largest values of a dimension, and those of all others. */

import { z } from 'zod'
import type { SeriesGrouping } from '../../schema/group-by.ts'
import { type Buckets, bucketOfSlot } from '../../schema/rules/time/buckets.ts'
import { rawTime } from '../rollups/columns.ts'
import { countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowIntegers } from '../sql/rows.ts'
import { join, sql, uint } from '../sql/sql.ts'
import { type BucketQuery, maxBuckets } from './histogram-reports.ts'

const row = z
  .object({ value: z.string(), slots: rowIntegers, counts: rowIntegers })
  .refine(({ slots, counts }) => slots.length === counts.length, 'Expected as many counts as slots')

type ValueCounts = z.infer<typeof row>

export interface SeriesQuery extends BucketQuery, SeriesGrouping {}

/**
 * The largest values of the window first, ties by value; a slot can be in several elements.
 * @param among the largest values if they are known, so that rollups of single values serve them.
 */
export function countSeries(query: SeriesQuery, among?: readonly string[]): Query<ValueCounts> {
  const { tenantId, filter, dimension, top } = query
  const { ranges: windows, grain: bucket, slot } = query.buckets
  const slices = countSlices({ tenantId, ...filter, groupBy: [dimension], among: among && [among], windows, bucket })
  const slots = slices.map(
    ({ from, time, column, measure }) => sql`
      SELECT toString(${column(dimension)}) AS key, ${time.slot(slot)} AS slot, ${measure.reportCount()} AS counted
      ${from}
      GROUP BY key, slot`,
  )
  return {
    name: 'countSeries',
    statement: sql`
      SELECT key AS value, groupArray(slot) AS slots, groupArray(counted) AS counts
      FROM (${join(slots, ' UNION ALL ')})
      GROUP BY key
      ORDER BY sum(counted) DESC, key
      LIMIT ${uint(top)}`,
    row,
    // Rollups serve everything except the edges.
    fewRows: slices.some(({ time }) => time !== rawTime),
  }
}

/** Counts of a response in all series: with those of 20 values and the rest, 31 days have buckets of 15 minutes. */
const maxCounts = 100_000

/** Buckets of a response with series. */
export const mostBuckets = ({ top }: Pick<SeriesGrouping, 'top'>) =>
  Math.min(maxBuckets, Math.floor(maxCounts / (top + 1)))

interface Series {
  /** "" for reports without a value, null for all values beyond the largest. */
  readonly value: string | null
  readonly reportCounts: number[]
}

/**
 * Counts by bucket, the sum of all other values last.
 * @param totals of all reports by bucket.
 */
export function toSeries(largest: readonly ValueCounts[], buckets: Buckets, totals: readonly number[]): Series[] {
  const indexOf = bucketOfSlot(buckets)
  const rest = [...totals]
  const series = largest.map(({ value, slots, counts }) => {
    const reportCounts = totals.map(() => 0)
    for (const [at, slot] of slots.entries()) {
      const [index, counted] = [indexOf(slot), counts[at] ?? 0]
      if (index === undefined) continue
      reportCounts[index] = (reportCounts[index] ?? 0) + counted
      rest[index] = (rest[index] ?? 0) - counted
    }
    return { value, reportCounts }
  })
  if (rest.every((count) => count <= 0)) return series
  // A report that is stored between two statements can be in only one of them.
  return [...series, { value: null, reportCounts: rest.map((count) => Math.max(0, count)) }]
}
