import type { Timing } from './results.ts'

/** Of the machine and the data that were measured. */
export interface BenchScale {
  readonly rows: number
  /** p50 in milliseconds of a request that reads no report. */
  readonly floorMs: number
}

/** On a fast and idle machine. */
const fewestRatioMs = 50

/** Most p50 of the API where plain SQL takes less: the floor has one small statement, a query up to four and 10,000 buckets. */
export const mostFloors = 5

/** Milliseconds of another system from which a ratio is judged: below, what a request costs without data decides it. */
export const ratioFromMs = ({ floorMs }: Pick<BenchScale, 'floorMs'>) => Math.max(fewestRatioMs, mostFloors * floorMs)

export const formatRatio = (ratio: number) => ratio.toFixed(ratio < 2 ? 2 : 1)

/** Reports of the least ratios: others' times grow with the reports, the API's hardly do. */
export const targetRows = 100_000_000

const duckDbTarget = 3

/** @param target at 100 million reports and more; in proportion below, and at least 1. */
const leastRatio = (target: number, { rows }: BenchScale) => Math.max(1, target * Math.min(1, rows / targetRows))

type P50s = Readonly<Partial<Record<'api' | 'plain' | 'duckDb', Pick<Timing, 'p50'>>>>

/** @param plainTarget least ratio of plain SQL's p50 to the API's, at 100 million reports. */
export function missedTargets({ api, plain, duckDb }: P50s, plainTarget: number, scale: BenchScale): string[] {
  if (!api) return []
  const [most, judgedFrom] = [mostFloors * scale.floorMs, ratioFromMs(scale)]
  const isAboveFloor = plain !== undefined && plain.p50 < judgedFrom && api.p50 > Math.max(most, plain.p50)
  const others = [
    ['plain', plain, plainTarget],
    ['DuckDB', duckDb, duckDbTarget],
  ] as const
  return [
    ...(isAboveFloor ? [`${api.p50.toFixed(0)} of ${most.toFixed(0)} ms`] : []),
    ...others.flatMap(([name, other, target]) => {
      const [ratio, least] = [(other?.p50 ?? 0) / api.p50, leastRatio(target, scale)]
      const isMissed = other !== undefined && other.p50 >= judgedFrom && ratio < least
      return isMissed ? [`${name} ${formatRatio(ratio)} of ${formatRatio(least)}x`] : []
    }),
  ]
}
