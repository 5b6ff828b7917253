import { short, toTable } from './print-results.ts'
import type { BenchResults } from './results.ts'

/** p50 = fixed + perRow * rows, in milliseconds. */
export interface Law {
  readonly fixed: number
  readonly perRow: number
}

/** One size and what it took. */
export interface Sample {
  readonly rows: number
  readonly milliseconds: number
}

/**
 * The law with the least squared relative errors, so that a small size counts as much as a large one. Neither part is
 * negative: where the best line has such a part, it is left out. Throws on fewer than two sizes.
 */
export function fitLaw(samples: readonly Sample[]): Law {
  if (new Set(samples.map(({ rows }) => rows)).size < 2) throw new RangeError('a law needs two sizes')
  const weighted = samples.map(({ rows, milliseconds }) => ({ rows, milliseconds, weight: 1 / milliseconds ** 2 }))
  const sum = (value: (sample: (typeof weighted)[number]) => number) =>
    weighted.reduce((all, sample) => all + sample.weight * value(sample), 0)
  const [w, x, y] = [sum(() => 1), sum(({ rows }) => rows), sum(({ milliseconds }) => milliseconds)]
  const [xx, xy] = [sum(({ rows }) => rows * rows), sum(({ rows, milliseconds }) => rows * milliseconds)]
  const perRow = (w * xy - x * y) / (w * xx - x * x)
  const fixed = (y - perRow * x) / w
  if (perRow < 0) return { fixed: y / w, perRow: 0 }
  if (fixed < 0) return { fixed: 0, perRow: xy / xx }
  return { fixed, perRow }
}

const billion = 1_000_000_000

/** How questions grow from size to size, and what a billion reports would cost. Throws on fewer than two sizes. */
export function describeLaw(results: readonly BenchResults[]): string {
  const sizes = [...results].sort((a, b) => a.rows - b.rows)
  const names = [...new Set(sizes.flatMap(({ questions }) => questions.map(({ name }) => name)))]
  const rows = names.flatMap((name) => lawRow(name, sizes))
  if (rows.length === 0) throw new Error('A law needs results of two sizes at least, with a question in common')
  const head = ['question, API p50 in ms', ...sizes.map((size) => short(size.rows)), 'growth']
  return `${toTable([[...head, 'fixed', 'a million', 'a billion', 'plain SQL then', 'DuckDB then'], ...rows])}\n`
}

/** One row, or none where the question was measured at fewer than two sizes. */
function lawRow(name: string, sizes: readonly BenchResults[]): string[][] {
  const samplesOf = (contestant: 'api' | 'plain' | 'duckDb') =>
    sizes.flatMap(({ rows, questions }) => {
      const p50 = questions.find((question) => question.name === name)?.[contestant]?.p50
      return p50 === undefined ? [] : [{ rows, milliseconds: p50 }]
    })
  const at = ({ fixed, perRow }: Law) => fixed + perRow * billion
  const samples = samplesOf('api')
  if (samples.length < 2) return []
  const law = fitLaw(samples)
  const growth = samples.slice(1).map((sample, index) => {
    const before = samples[index] as Sample
    return `${(sample.milliseconds / before.milliseconds).toFixed(1)}x`
  })
  const measured = sizes.map((size) => short(samples.find(({ rows }) => rows === size.rows)?.milliseconds))
  const others = (['plain', 'duckDb'] as const).map((contestant) => {
    const known = samplesOf(contestant)
    if (known.length < 2) return '-'
    const then = at(fitLaw(known))
    return `${short(then)} (${(then / at(law)).toFixed(1)}x)`
  })
  const fitted = [short(law.fixed), (law.perRow * 1e6).toFixed(3), short(at(law))]
  return [[name, ...measured, growth.join(' '), ...fitted, ...others]]
}
