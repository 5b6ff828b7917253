/** @module Series of a histogram: the counts of the largest values of a dimension, and those of all others. */

import { z } from 'zod'
import type { SeriesGrouping } from '../../schema/group-by.ts'
import { type Buckets, bucketOfSlot } from '../../schema/rules/time/buckets.ts'
import { rawTime } from '../rollups/columns.ts'
import { type CountSlice, countSlices } from '../rollups/count-slices.ts'
import type { Query } from '../sql/query.ts'
import { rowBigSums, rowIntegers } from '../sql/rows.ts'
import { join, type Sql, sql, uint } from '../sql/sql.ts'
import { type BucketQuery, maxBuckets } from './histogram-reports.ts'

const areParallel = (slots: readonly number[], ...others: readonly (readonly unknown[])[]) =>
  others.every(({ length }) => length === slots.length)

const row = z
  .object({ value: z.string(), slots: rowIntegers, counts: rowIntegers })
  .refine(({ slots, counts }) => areParallel(slots, counts), 'Expected as many counts as slots')

type ValueCounts = z.infer<typeof row>

export interface SeriesQuery extends BucketQuery, SeriesGrouping {}

/**
 * The largest values of the window first, ties by value; a slot can be in several elements.
 * @param among the largest values if they are known, so that rollups of single values serve them.
 */
export function countSeries(query: SeriesQuery, among?: readonly string[]): Query<ValueCounts> {
  const { slots, fewRows } = slotsByValue(query, ({ measure }) => sql`${measure.reportCount()} AS counted`, among)
  return {
    name: 'countSeries',
    statement: sql`
      SELECT key AS value, groupArray(slot) AS slots, groupArray(counted) AS counts
      FROM (${slots})
      GROUP BY key
      ORDER BY sum(counted) DESC, key
      LIMIT ${uint(query.top)}`,
    row,
    fewRows,
  }
}

const rankedRow = z
  .object({ value: z.string().nullable(), slots: rowIntegers, counts: rowIntegers, weights: rowBigSums })
  .refine(({ slots, counts, weights }) => areParallel(slots, counts, weights), 'Expected as many counts as slots')

/**
 * A row for each of the largest values, ties by value, then a row for all others with the value null: the histogram needs no separate statement. Undefined without a rollup of the buckets: raw rows take half as much again as two
 * statements.
 */
export function countEverySeries(query: SeriesQuery): Query<z.output<typeof rankedRow>> | undefined {
  const measures = ({ measure }: CountSlice) => sql`${measure.reportCount()} AS counted, ${measure.weight} AS weighed`
  const { slots, fewRows } = slotsByValue(query, measures)
  if (!fewRows) return undefined
  const top = uint(query.top)
  return {
    name: 'countEverySeries',
    statement: sql`
      SELECT
        if(place > ${top}, NULL, any(key)) AS value,
        tupleElement(sumMap(key_slots, key_counts, key_weights) AS tallies, 1) AS slots,
        tallies.2 AS counts,
        arrayMap(weight -> toString(weight), tallies.3) AS weights
      FROM (
        SELECT
          key,
          groupArray(slot) AS key_slots,
          groupArray(counted) AS key_counts,
          groupArray(weighed) AS key_weights,
          least(row_number() OVER (ORDER BY sum(counted) DESC, key), ${top} + 1) AS place
        FROM (${slots})
        GROUP BY key)
      GROUP BY place
      ORDER BY place`,
    row: rankedRow,
    fewRows,
  }
}

function slotsByValue(query: SeriesQuery, measures: (slice: CountSlice) => Sql, among?: readonly string[]) {
  const { tenantId, filter, dimension } = query
  const { ranges: windows, grain: bucket, slot } = query.buckets
  const slices = countSlices({ tenantId, ...filter, groupBy: [dimension], among: among && [among], windows, bucket })
  const selects = slices.map(
    (slice) => sql`
      SELECT toString(${slice.column(dimension)}) AS key, ${slice.time.slot(slot)} AS slot, ${measures(slice)}
      ${slice.from}
      GROUP BY key, slot`,
  )
  // Rollups serve everything except the edges.
  return { slots: join(selects, ' UNION ALL '), fewRows: slices.some(({ time }) => time !== rawTime) }
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
 * @param rows the largest values; a row with the value null, for all others, equals the rest of the totals.
 * @param totals of all reports by bucket.
 */
export function toSeries(
  rows: readonly {
    readonly value: string | null
    readonly slots: readonly number[]
    readonly counts: readonly number[]
  }[],
  buckets: Buckets,
  totals: readonly number[],
): Series[] {
  const indexOf = bucketOfSlot(buckets)
  const rest = [...totals]
  const series = rows
    .filter(({ value }) => value !== null)
    .map(({ value, slots, counts }) => {
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
