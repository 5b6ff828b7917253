import { describe, expect, test } from 'vitest'
import { blocksFrom } from '../../bench/generated-reports.ts'
import { judgeLoad, memoryRise, type ServerPhases } from '../../bench/load-results.ts'
import { percentile } from '../../bench/percentile.ts'
import { describeResults, toTable } from '../../bench/print-results.ts'
import { resultOfRows, summarize } from '../../bench/query-result.ts'
import { missedTargets } from '../../bench/targets.ts'
import { cpuMsOf } from '../../bench/watch-process.ts'

describe('percentile', () => {
  test('percentile returns a measured value, by nearest rank', () => {
    const values = [5, 1, 4, 2, 3]
    expect([0, 0.5, 0.8, 0.81, 0.95, 1].map((share) => percentile(values, share))).toEqual([1, 3, 4, 5, 5, 5])
    expect(values).toEqual([5, 1, 4, 2, 3])
  })

  test('percentile throws on an empty list', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError)
  })
})

describe('blocksFrom', () => {
  const blocks = (row: number) =>
    [...blocksFrom({ rounds: [2_800_000, 6_400_000], from: 0, days: 62 }, row)].map(({ first, end, round }) => [
      first,
      end,
      round[1],
    ])

  test('blocksFrom splits each round into an even number of equal blocks', () => {
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

  test('blocksFrom yields only the blocks from the given row on', () => {
    expect(blocks(2_800_000)).toEqual(blocks(0).slice(2))
    expect(blocks(2_000_000)).toEqual([[2_000_000, 2_800_000, 2_800_000], ...blocks(0).slice(2)])
    expect(blocks(6_400_000)).toEqual([])
  })
})

describe('missedTargets', () => {
  const at = (rows: number) => ({ rows, floorMs: 10 })
  const p50s = (api: number, plain: number, duckDb = 10_000) => ({
    api: { p50: api },
    plain: { p50: plain },
    duckDb: { p50: duckDb },
  })

  test('A ratio is judged at 100 million reports, and in proportion below, at least 1', () => {
    expect(missedTargets(p50s(10, 200), 20, at(1e8))).toEqual([])
    expect(missedTargets(p50s(10, 199), 20, at(1e9))).toEqual(['plain 19.9 of 20.0x'])
    expect(missedTargets(p50s(50, 99), 20, at(1e7))).toEqual(['plain 1.98 of 2.0x'])
    expect(missedTargets(p50s(100, 99), 20, at(1e6))).toEqual(['plain 0.99 of 1.00x'])
    expect(missedTargets(p50s(100, 1000, 299), 1, at(1e8))).toEqual(['DuckDB 3.0 of 3.0x'])
  })

  test('Where plain SQL takes little, the API may take five floors, or as much as plain SQL', () => {
    expect(missedTargets(p50s(50, 5, 5), 20, at(1e8))).toEqual([])
    expect(missedTargets(p50s(51, 49.9, 5), 20, at(1e8))).toEqual(['51 of 50 ms'])
    expect(missedTargets(p50s(45, 45), 20, { rows: 1e8, floorMs: 2 })).toEqual([])
  })

  test('On a slow or busy machine, where the floor is high, ratios are judged from five floors on', () => {
    const slow = { rows: 1e6, floorMs: 400 }
    expect(missedTargets(p50s(1_990, 370, 260), 20, slow)).toEqual([])
    expect(missedTargets(p50s(2_400, 370, 260), 20, slow)).toEqual(['2400 of 2000 ms'])
    expect(missedTargets(p50s(4_230, 2_000), 20, slow)).toEqual(['plain 0.47 of 1.00x'])
  })

  test('A system that was not measured is not judged', () => {
    expect(missedTargets({ api: { p50: 900 } }, 20, at(1e8))).toEqual([])
    expect(missedTargets({ plain: { p50: 900 } }, 20, at(1e8))).toEqual([])
  })
})

describe('summarize', () => {
  test('A summary has the sum, the number of groups and the largest group, in any row order', () => {
    const rows = [
      { key1: 'b', key2: null, n: '7' },
      { key1: 'a', key2: 2, n: 7 },
    ]
    expect(summarize(resultOfRows(rows))).toEqual({ sum: 14, groups: 2, top: 'a|2: 7' })
    expect(summarize(resultOfRows(rows.toReversed()))).toEqual(summarize(resultOfRows(rows)))
  })

  test('Totals beside the rows outrank the sum and number of the rows', () => {
    expect(summarize(resultOfRows([{ key1: 'a', n: 7, total: '100', groups: '9' }]))).toEqual({
      sum: 100,
      groups: 9,
      top: 'a: 7',
    })
  })

  test('The volume column outranks n as the count', () => {
    expect(summarize(resultOfRows([{ key1: 'a', n: 7, volume: '9' }])).top).toBe('a: 9')
  })

  test('A result without rows has an empty summary', () => {
    expect(summarize(resultOfRows([]))).toEqual({ sum: 0, groups: 0, top: '' })
  })
})

describe('judgeLoad', () => {
  const phase = { requests: 10, failed: 0, p50: 10, p99: 50, cpuMsPerRequest: 2.5, memory: [100e6, 110e6] }
  const alone = { backToBack: { ...phase, p50: phase.p50 / 2 }, unloaded: phase }
  const api: ServerPhases = { ...alone, loaded: phase }
  const plain: ServerPhases = { ...alone, loaded: { ...phase, cpuMsPerRequest: 1 } }
  const missed = (loaded: Partial<typeof phase>) =>
    judgeLoad({ ...alone, loaded: { ...phase, ...loaded } }, plain).lines.filter(({ met }) => !met)

  test('A load measurement equal to every target meets them all', () => {
    expect(judgeLoad(api, plain).lines.map(({ met }) => met)).toEqual([true, true, true, true])
  })

  test('Each value beyond its target is one miss', () => {
    expect(missed({ cpuMsPerRequest: 2.6 })).toHaveLength(1)
    expect(missed({ p99: 51 })).toEqual([
      {
        met: false,
        text:
          "p99 under load, times the unloaded p50: 5.1, at most 5.0 (plain Hono's own: 5.0; " +
          "times the p50 of one connection without a pause: 10.2, and plain Hono's: 10.0)",
      },
    ])
    expect(missed({ memory: [251e6, 251e6] })).toHaveLength(1)
    expect(missed({ memory: [100e6, 100e6, 111e6, 100e6] })).toHaveLength(1)
    expect(missed({ failed: 1 })).toEqual([{ met: false, text: '1 requests failed' }])
  })

  test('memoryRise compares the peaks of both halves', () => {
    expect(memoryRise([100, 120, 90, 126])).toBeCloseTo(1.05)
  })

  test('cpuMsOf reads a stat line whose process name contains parentheses', () => {
    expect(cpuMsOf('12 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 70 30 0 0')).toBe(1000)
  })
})

test('The end of the printed results has what they mean, and each miss with its reason', () => {
  const timing = (p50: number, cpu: number) => ({ p50, p95: p50, cpu, rowsRead: 1, bytesRead: 1 })
  const [status, missed] = ['measured' as const, ['plain 0.50 of 1.00x']]
  const printed = (loadAverage: number) =>
    describeResults({
      rows: 1e6,
      at: '2026-01-01T00:00:00.000Z',
      floorMs: 30,
      tables: [],
      load: { rowsPerSecond: 1, mergeSeconds: 1 },
      machine: { cores: 2, memoryBytes: 1, node: 'v20', loadAverage },
      queries: [
        { name: 'count', status, api: timing(50, 10), plain: timing(100, 5) },
        { name: 'types', status, api: timing(400, 10), plain: timing(200, 40), missed },
      ],
    })
  expect(printed(1)).toMatch(
    /less than 150 ms: 1 of 2\..*Faster than plain SQL: 1 of 2 .*Less CPU than plain SQL: 1 of 2 .*1 of 2 queries miss a target\n {2}types: plain 0\.50 of 1\.00x\n$/s,
  )
  expect([1, 30].map((load) => printed(load).includes('compare CPU, not times'))).toEqual([false, true])
})

test('toTable aligns the first column left and the others right', () => {
  expect(
    toTable([
      ['name', 'ms'],
      ['a', '1.0'],
    ]),
  ).toBe('name   ms\na     1.0')
})
