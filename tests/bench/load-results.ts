/** @module Phases of a load measurement and their targets. */

import { percentile } from './percentile.ts'
import type { PollResult } from './poll-server.ts'
import type { ProcessUsage } from './watch-process.ts'

export interface LoadPhase {
  readonly requests: number
  readonly failed: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly cpuMsPerRequest: number
  /** Bytes, second by second. */
  readonly memory: readonly number[]
}

export interface ServerPhases {
  /** One connection without a pause, for which the processor never sleeps. */
  readonly backToBack: LoadPhase
  /** One connection at the request rate of all connections under load. */
  readonly unloaded: LoadPhase
  readonly loaded: LoadPhase
}

/** Throws on a phase without a 200. */
export function phaseOf({ latencies, failed }: PollResult, { cpuMs, memory }: ProcessUsage): LoadPhase {
  const requests = latencies.length
  return {
    requests,
    failed,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMsPerRequest: cpuMs / requests,
    memory,
  }
}

const megabyte = 1_000_000

/** Peak of the second half divided by the peak of the first. */
export function memoryRise(memory: readonly number[]): number {
  const half = Math.ceil(memory.length / 2)
  return Math.max(...memory.slice(half - 1)) / Math.max(...memory.slice(0, half))
}

const phasesOf = (server: ServerPhases): LoadPhase[] => Object.values(server)
const cpuOf = ({ loaded }: ServerPhases) => loaded.cpuMsPerRequest
const slowdownOf = ({ loaded, unloaded }: ServerPhases) => loaded.p99 / unloaded.p50
const slowdownBackToBackOf = ({ loaded, backToBack }: ServerPhases) => loaded.p99 / backToBack.p50
const times = (value: number) => value.toFixed(1)

interface LoadTarget {
  readonly about: string
  readonly atMost: number
  readonly of: (api: ServerPhases, plain: ServerPhases) => number
  readonly write: (value: number) => string
  /** Values to compare with, such as those of a server without any work on the same machine. */
  readonly beside?: (api: ServerPhases, plain: ServerPhases) => string
}

const loadTargets: Readonly<Record<string, LoadTarget>> = {
  cpuRatio: {
    about: 'CPU a request, times that of plain Hono',
    atMost: 2.5,
    of: (api, plain) => cpuOf(api) / cpuOf(plain),
    write: times,
  },
  slowdown: {
    about: 'p99 under load, times the unloaded p50',
    atMost: 5,
    of: slowdownOf,
    write: times,
    beside: (api, plain) =>
      `plain Hono's own: ${times(slowdownOf(plain))}; times the p50 of one connection without a pause: ` +
      `${times(slowdownBackToBackOf(api))}, and plain Hono's: ${times(slowdownBackToBackOf(plain))}`,
  },
  memoryBytes: {
    about: 'Most memory',
    atMost: 250 * megabyte,
    of: (api) => Math.max(...phasesOf(api).flatMap(({ memory }) => memory)),
    write: (value) => `${(value / megabyte).toFixed(0)} MB`,
  },
  memoryRise: {
    about: 'Memory of the second half, times that of the first',
    atMost: 1.1,
    of: ({ loaded }) => memoryRise(loaded.memory),
    write: (value) => value.toFixed(2),
  },
}

export function judgeLoad(api: ServerPhases, plain: ServerPhases) {
  const judged = Object.entries(loadTargets).map(([name, { about, atMost, of, write, beside }]) => {
    const ratio = of(api, plain)
    const note = beside ? ` (${beside(api, plain)})` : ''
    return { name, ratio, met: ratio <= atMost, text: `${about}: ${write(ratio)}, at most ${write(atMost)}${note}` }
  })
  const failed = phasesOf(api).reduce((sum, phase) => sum + phase.failed, 0)
  return {
    ratios: Object.fromEntries(judged.map(({ name, ratio }) => [name, ratio])),
    lines: [
      ...judged.map(({ met, text }) => ({ met, text })),
      ...(failed > 0 ? [{ met: false, text: `${failed} requests failed` }] : []),
    ],
  }
}
