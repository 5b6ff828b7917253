/** @module Histograms beyond the contract's, computed the plain way: estimates, cut buckets, series. */

import type { DimensionName } from '../../schema/dimensions.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import { byBytes, dimensionValue, estimated, type OracleWindow } from './oracle-parts.ts'

const iso = (time: number) => new Date(time).toISOString()

/** Reports by bucket. @param bounds times at which buckets begin, from before the window to after it. */
function toBuckets(found: readonly StoredReport[], { from, to }: OracleWindow, bounds: readonly number[]) {
  const rows: StoredReport[][] = bounds.map(() => [])
  for (const row of found) rows[lastAtOrBefore(bounds, row.receivedAt)]?.push(row)
  return bounds.flatMap((start, index) => {
    const end = bounds[index + 1] ?? Number.POSITIVE_INFINITY
    return end <= from || start >= to ? [] : [{ start, end, rows: rows[index] ?? [] }]
  })
}

function lastAtOrBefore(bounds: readonly number[], time: number): number {
  let [low, high] = [0, bounds.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((bounds[middle] ?? 0) <= time) low = middle
    else high = middle
  }
  return low
}

export function oracleBuckets(found: readonly StoredReport[], window: OracleWindow, bounds: readonly number[]) {
  return toBuckets(found, window, bounds).map(({ start, end, rows }) => ({
    time: iso(start),
    reportCount: rows.length,
    estimatedReportCount: estimated(rows),
    ...((start < window.from || end > window.to) && { partial: true }),
  }))
}

/** The largest values, ties by value, then all others if there are any. */
export function oracleSeries(
  found: readonly StoredReport[],
  window: OracleWindow,
  bounds: readonly number[],
  dimension: DimensionName,
  top: number,
) {
  const values = [...new Set(found.map((row) => dimensionValue(row, dimension)))]
  const count = (value: string) => found.filter((row) => dimensionValue(row, dimension) === value).length
  const counted = values.map((value) => ({ value, count: count(value) }))
  const ranked = counted.sort((a, b) => b.count - a.count || byBytes(a.value, b.value)).map(({ value }) => value)
  const largest = ranked.slice(0, top)
  const countsOf = (rows: readonly StoredReport[]) =>
    toBuckets(rows, window, bounds).map((bucket) => bucket.rows.length)
  const series = largest.map((value) => ({
    value: value as string | null,
    reportCounts: countsOf(found.filter((row) => dimensionValue(row, dimension) === value)),
  }))
  if (ranked.length <= top) return series
  const others = found.filter((row) => !largest.includes(dimensionValue(row, dimension)))
  return [...series, { value: null, reportCounts: countsOf(others) }]
}
