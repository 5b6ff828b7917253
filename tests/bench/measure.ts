/** @module Runs queries on every system, compares results and summarises times. */

import { seeded } from '../../fixtures/seeded.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import type { TimeRange } from '../../schema/rules/time/time-range.ts'
import type { BenchQuery } from './bench-query.ts'
import { percentile } from './percentile.ts'
import { summarize } from './query-result.ts'
import { count } from './report-queries.ts'
import type { QueryOutcome, Timing } from './results.ts'
import type { QueryRun, SystemUnderTest } from './systems.ts'
import { type BenchScale, missedTargets } from './targets.ts'

export interface Systems {
  readonly api: SystemUnderTest
  readonly plain?: SystemUnderTest
  readonly duckDb?: SystemUnderTest
}

const names = ['api', 'plain', 'duckDb'] as const
type Name = (typeof names)[number]

export interface RunOptions {
  /** Measured runs of a query; one more before them is a warm-up. */
  readonly runs: number
  readonly seed: number
  /** Time range of the reports. */
  readonly span: TimeRange
}

/** Number of requests that find the floor. */
const floorRuns = 25

/** Windows end within the last two days, so that a month and the month before it are within the reports. */
const latestDays = 2

function drawWindows({ days }: BenchQuery, { runs, seed, span }: RunOptions): TimeRange[] {
  const random = seeded(seed)
  return Array.from({ length: runs + 1 }, () => {
    const to = span.to - random.between(1, latestDays * dayMs)
    return { from: to - Math.round(days * dayMs), to }
  })
}

/** Runs queries unmeasured, so that a new process has compiled its code. */
export async function warmUp(
  system: SystemUnderTest,
  queries: readonly BenchQuery[],
  options: RunOptions,
): Promise<void> {
  for (const query of queries) {
    for (const window of drawWindows(query, { ...options, runs: 2, seed: options.seed + 1 })) {
      await system.run(query, window).catch(() => undefined)
    }
  }
}

/** p50 in milliseconds of a count in the hour before the first report: one statement is planned, and no row read. */
export async function measureFloor(system: SystemUnderTest, { from }: TimeRange): Promise<number> {
  const query = count({ target: 1 })
  const latencies: number[] = []
  for (let run = 0; run < floorRuns; run++) {
    // No two windows are equal, as a response could be cached.
    const to = from - dayMs - run
    latencies.push((await system.run(query, { from: to - hourMs, to })).latencyMs)
  }
  return percentile(latencies, 0.5)
}

/** Runs a query on each system. A system that fails once is not run again for it. */
export async function measureQuery(
  query: BenchQuery,
  systems: Systems,
  scale: BenchScale,
  options: RunOptions,
): Promise<QueryOutcome> {
  const runs: Record<Name, QueryRun[]> = { api: [], plain: [], duckDb: [] }
  const failures = new Map<Name, string>()
  for (const [index, window] of drawWindows(query, options).entries()) {
    const round = new Map<Name, QueryRun>()
    // Rotated, so that each system runs first equally often.
    const order = names.map((_, place) => names[(place + index) % names.length] as Name)
    for (const name of order.filter((each) => !failures.has(each))) {
      const system = systems[name]
      if (!system) continue
      try {
        round.set(name, await system.run(query, window))
      } catch (error) {
        failures.set(name, error instanceof Error ? error.message : String(error))
      }
    }
    const difference = describeDifference(round)
    if (difference) return { name: query.name, status: 'different results', note: difference }
    if (index > 0) for (const [name, run] of round) runs[name].push(run)
  }
  return toOutcome(query, scale, runs, failures)
}

function describeDifference(round: ReadonlyMap<Name, QueryRun>): string | undefined {
  const summaries = [...round].map(([name, { result }]) => [name, JSON.stringify(summarize(result))] as const)
  if (new Set(summaries.map(([, text]) => text)).size <= 1) return undefined
  return summaries.map(([name, text]) => `${name} ${text}`).join(', ')
}

function toOutcome(
  query: BenchQuery,
  scale: BenchScale,
  runs: Readonly<Record<Name, readonly QueryRun[]>>,
  failures: ReadonlyMap<Name, string>,
): QueryOutcome {
  const timings = Object.fromEntries(
    names.filter((name) => runs[name].length > 0).map((name) => [name, timingOf(runs[name])]),
  ) as Partial<Record<Name, Timing>>
  const { api, plain, duckDb } = timings
  const ratios = {
    plainRatio: api && plain && plain.p50 / api.p50,
    duckDbRatio: api && duckDb && duckDb.p50 / api.p50,
  }
  const note = [...failures].map(([name, reason]) => `${name} failed: ${reason}`).join('; ')
  return {
    name: query.name,
    status: 'measured',
    ...timings,
    ...ratios,
    missed: [...missedTargets(timings, query.target ?? 1, scale), ...(failures.has('api') ? ['API failed'] : [])],
    ...(note && { note }),
  }
}

function timingOf(runs: readonly QueryRun[]): Timing {
  const latencies = runs.map(({ latencyMs }) => latencyMs)
  const median = (values: readonly (number | undefined)[]) =>
    percentile(
      values.map((value) => value ?? 0),
      0.5,
    )
  return {
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    cpu: runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / runs.length,
    rowsRead: median(runs.map(({ rowsRead }) => rowsRead)),
    bytesRead: median(runs.map(({ bytesRead }) => bytesRead)),
  }
}
