import { describe, expect, test } from 'vitest'
import { blocksFrom } from '../../bench/generated-reports.ts'
import { judgeLoad, type LoadedServer, memoryRise } from '../../bench/load-results.ts'
import { percentile } from '../../bench/percentile.ts'
import { toTable } from '../../bench/print-results.ts'
import { answerOfRows, canonicalOf } from '../../bench/query-result.ts'
import { fitLaw } from '../../bench/scaling.ts'
import { missedTargets } from '../../bench/targets.ts'
import { cpuMillisecondsOf } from '../../bench/watch-process.ts'

describe('percentiles', () => {
  test('are values that were measured, at the nearest rank', () => {
    const values = [5, 1, 4, 2, 3]
    expect([0, 0.5, 0.8, 0.81, 0.95, 1].map((share) => percentile(values, share))).toEqual([1, 3, 4, 5, 5, 5])
    expect(values).toEqual([5, 1, 4, 2, 3])
  })

  test('of nothing are refused', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError)
  })
})

describe('blocks of generated reports', () => {
  const blocks = (row: number) =>
    [...blocksFrom({ rounds: [2_800_000, 6_400_000], from: 0, days: 62 }, row)].map(({ first, end, round }) => [
      first,
      end,
      round[1],
    ])

  test('end with their round, an even number of equal ones', () => {
    expect(blocks(0)).toEqual([
      [0, 1_400_000, 2_800_000],
      [1_400_000, 2_800_000, 2_800_000],
      [2_800_000, 4_600_000, 6_400_000],
      [4_600_000, 6_400_000, 6_400_000],
    ])
    expect(
      [...blocksFrom({ rounds: [10_000_001], from: 0, days: 62 }, 0)].map(({ first, end }) => end - first),
    ).toEqual([1_666_667, 1_666_667, 1_666_667, 1_666_667, 1_666_667, 1_666_666])
  })

  test('are those that are missing', () => {
    expect(blocks(2_800_000)).toEqual(blocks(0).slice(2))
    expect(blocks(2_000_000)).toEqual([[2_000_000, 2_800_000, 2_800_000], ...blocks(0).slice(2)])
    expect(blocks(6_400_000)).toEqual([])
  })
})

describe('a law', () => {
  const samples = (milliseconds: (rows: number) => number) =>
    [1e6, 1e7, 1e8].map((rows) => ({ rows, milliseconds: milliseconds(rows) }))

  test('is found again in what follows it', () => {
    const { fixed, perRow } = fitLaw(samples((rows) => 5 + rows * 2e-6))
    expect(fixed).toBeCloseTo(5, 6)
    expect(perRow).toBeCloseTo(2e-6, 12)
  })

  test('has no negative part', () => {
    expect(fitLaw(samples((rows) => rows * 1e-6 - 0.5)).fixed).toBe(0)
    expect(fitLaw(samples((rows) => 10 - rows * 1e-8)).perRow).toBe(0)
  })

  test('needs two sizes', () => {
    expect(() => fitLaw([{ rows: 1e6, milliseconds: 3 }])).toThrow('two sizes')
  })
})

describe('targets', () => {
  const met = { plainRatio: 20, duckDbRatio: 3 }

  test('are met at their bounds', () => {
    expect(missedTargets(met, 20)).toEqual([])
  })

  test('are missed one by one', () => {
    expect(missedTargets({ ...met, plainRatio: 19.9 }, 20)).toEqual(['plain 19.9 of 20x'])
    expect(missedTargets({ ...met, duckDbRatio: 2.9 }, 20)).toEqual(['DuckDB 2.9 of 3x'])
  })

  test('are not missed where nothing was asked or a rival gave up', () => {
    expect(missedTargets({ ...met, plainRatio: 1 }, undefined)).toEqual([])
    expect(missedTargets({ plainRatio: undefined, duckDbRatio: undefined }, 20)).toEqual([])
  })
})

describe('answers', () => {
  test('agree by their sum, their groups and their largest group, whatever the order', () => {
    const rows = [
      { key1: 'b', key2: null, n: '7' },
      { key1: 'a', key2: 2, n: 7 },
    ]
    expect(canonicalOf(answerOfRows(rows))).toEqual({ sum: 14, groups: 2, top: 'a|2: 7' })
    expect(canonicalOf(answerOfRows(rows.toReversed()))).toEqual(canonicalOf(answerOfRows(rows)))
  })

  test('tell of more groups than they list', () => {
    expect(canonicalOf(answerOfRows([{ key1: 'a', n: 7, total: '100', groups: '9' }]))).toEqual({
      sum: 100,
      groups: 9,
      top: 'a: 7',
    })
  })

  test('compare volumes where they are told', () => {
    expect(canonicalOf(answerOfRows([{ key1: 'a', n: 7, volume: '9' }])).top).toBe('a: 9')
  })

  test('of no rows are nothing', () => {
    expect(canonicalOf(answerOfRows([]))).toEqual({ sum: 0, groups: 0, top: '' })
  })
})

describe('a load measurement', () => {
  const phase = { requests: 10, refused: 0, p50: 10, p99: 50, cpuMillisecondsPerRequest: 2.5, memory: [100e6, 110e6] }
  const alone = { atOnce: { ...phase, p50: phase.p50 / 2 }, unloaded: phase }
  const api: LoadedServer = { ...alone, loaded: phase }
  const plain: LoadedServer = { ...alone, loaded: { ...phase, cpuMillisecondsPerRequest: 1 } }
  const missed = (loaded: Partial<typeof phase>) =>
    judgeLoad({ ...alone, loaded: { ...phase, ...loaded } }, plain).lines.filter(({ met }) => !met)

  test('meets every target at its bound', () => {
    expect(judgeLoad(api, plain).lines.map(({ met }) => met)).toEqual([true, true, true, true])
  })

  test('misses one target at a time', () => {
    expect(missed({ cpuMillisecondsPerRequest: 2.6 })).toHaveLength(1)
    expect(missed({ p99: 51 })).toEqual([
      {
        met: false,
        text:
          "p99 under load, times the unloaded p50: 5.1, at most 5.0 (plain Hono's own: 5.0; " +
          "times the p50 of one connection that asks again at once: 10.2, and plain Hono's: 10.0)",
      },
    ])
    expect(missed({ memory: [251e6, 251e6] })).toHaveLength(1)
    expect(missed({ memory: [100e6, 100e6, 111e6, 100e6] })).toHaveLength(1)
    expect(missed({ refused: 1 })).toEqual([{ met: false, text: '1 requests refused' }])
  })

  test('compares the second half of the memory with the first', () => {
    expect(memoryRise([100, 120, 90, 126])).toBeCloseTo(1.05)
  })

  test('reads CPU time whatever the process is called', () => {
    expect(cpuMillisecondsOf('12 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 70 30 0 0')).toBe(1000)
  })
})

test('tables have columns', () => {
  expect(
    toTable([
      ['name', 'ms'],
      ['a', '1.0'],
    ]),
  ).toBe('name   ms\na     1.0')
})
