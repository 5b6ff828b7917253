/** @module Runs queries on every system, compares results and summarises times. */

import { seeded } from '../../fixtures/seeded.ts'
import type { TimeRange } from '../../queries/rollups/time-range.ts'
import { dayMs } from '../../schema/durations.ts'
import type { BenchQuery } from './bench-query.ts'
import { percentile } from './percentile.ts'
import { summarize } from './query-result.ts'
import type { QueryOutcome, Timing } from './results.ts'
import type { QueryRun, SystemUnderTest } from './systems.ts'
import { missedTargets } from './targets.ts'

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

/** Runs a query on each system. A system that fails once is not run again for it. */
export async function measureQuery(query: BenchQuery, systems: Systems, options: RunOptions): Promise<QueryOutcome> {
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
  return toOutcome(query, runs, failures)
}

function describeDifference(round: ReadonlyMap<Name, QueryRun>): string | undefined {
  const summaries = [...round].map(([name, { result }]) => [name, JSON.stringify(summarize(result))] as const)
  if (new Set(summaries.map(([, text]) => text)).size <= 1) return undefined
  return summaries.map(([name, text]) => `${name} ${text}`).join(', ')
}

function toOutcome(
  query: BenchQuery,
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
    missed: [...missedTargets(ratios, query.target), ...(failures.has('api') ? ['API failed'] : [])],
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
