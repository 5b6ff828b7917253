/** @module Extrapolates a query's time from results of several sizes. */

import { formatNumber, toTable } from './print-results.ts'
import type { BenchResults } from './results.ts'

/** p50 = fixed + perRow * rows, in milliseconds. */
export interface LinearFit {
  readonly fixed: number
  readonly perRow: number
}

export interface Sample {
  readonly rows: number
  readonly p50: number
}

/** Least squares of relative errors, so that a small size counts as much as a large one; a negative term becomes 0. */
export function fitLine(samples: readonly Sample[]): LinearFit {
  if (new Set(samples.map(({ rows }) => rows)).size < 2) throw new RangeError('a fit needs two sizes')
  const weighted = samples.map(({ rows, p50 }) => ({ rows, p50, weight: 1 / p50 ** 2 }))
  const sum = (value: (sample: (typeof weighted)[number]) => number) =>
    weighted.reduce((all, sample) => all + sample.weight * value(sample), 0)
  const [w, x, y] = [sum(() => 1), sum(({ rows }) => rows), sum(({ p50 }) => p50)]
  const [xx, xy] = [sum(({ rows }) => rows * rows), sum(({ rows, p50 }) => rows * p50)]
  const perRow = (w * xy - x * y) / (w * xx - x * x)
  const fixed = (y - perRow * x) / w
  if (perRow < 0) return { fixed: y / w, perRow: 0 }
  if (fixed < 0) return { fixed: 0, perRow: xy / xx }
  return { fixed, perRow }
}

const billion = 1_000_000_000

/** Throws on fewer than two sizes. */
export function describeScaling(results: readonly BenchResults[]): string {
  const sizes = [...results].sort((a, b) => a.rows - b.rows)
  const names = [...new Set(sizes.flatMap(({ queries }) => queries.map(({ name }) => name)))]
  const rows = names.flatMap((name) => scalingRow(name, sizes))
  if (rows.length === 0) throw new Error('Scaling needs results of two sizes at least, with a query in common')
  const head = ['query, API p50 in ms', ...sizes.map((size) => formatNumber(size.rows)), 'growth']
  return `${toTable([[...head, 'fixed', 'a million', 'a billion', 'plain SQL then', 'DuckDB then'], ...rows])}\n`
}

/** One row; none where the query has fewer than two sizes. */
function scalingRow(name: string, sizes: readonly BenchResults[]): string[][] {
  const samplesOf = (system: 'api' | 'plain' | 'duckDb') =>
    sizes.flatMap(({ rows, queries }) => {
      const p50 = queries.find((query) => query.name === name)?.[system]?.p50
      return p50 === undefined ? [] : [{ rows, p50 }]
    })
  const atBillion = ({ fixed, perRow }: LinearFit) => fixed + perRow * billion
  const samples = samplesOf('api')
  if (samples.length < 2) return []
  const fit = fitLine(samples)
  const growth = samples.slice(1).map((sample, index) => {
    const before = samples[index] as Sample
    return `${(sample.p50 / before.p50).toFixed(1)}x`
  })
  const measured = sizes.map((size) => formatNumber(samples.find(({ rows }) => rows === size.rows)?.p50))
  const others = (['plain', 'duckDb'] as const).map((system) => {
    const known = samplesOf(system)
    if (known.length < 2) return '-'
    const then = atBillion(fitLine(known))
    return `${formatNumber(then)} (${(then / atBillion(fit)).toFixed(1)}x)`
  })
  const fitted = [formatNumber(fit.fixed), (fit.perRow * 1e6).toFixed(3), formatNumber(atBillion(fit))]
  return [[name, ...measured, growth.join(' '), ...fitted, ...others]]
}
