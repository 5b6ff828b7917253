import { percentile } from './percentile.ts'
import type { Polled } from './poll-server.ts'
import type { ProcessUsage } from './watch-process.ts'

/** One phase of a load measurement. */
export interface LoadPhase {
  readonly requests: number
  readonly refused: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly cpuMillisecondsPerRequest: number
  /** Bytes, second by second. */
  readonly memory: readonly number[]
}

/** A server with one connection and with many. */
export interface LoadedServer {
  /** One connection that asks again at once, for which the processor never sleeps. */
  readonly atOnce: LoadPhase
  /** One connection that asks as often as all do under load. */
  readonly unloaded: LoadPhase
  readonly loaded: LoadPhase
}

/** Sums up a phase. Throws where nothing was answered. */
export function phaseOf({ latencies, refused }: Polled, { cpuMilliseconds, memory }: ProcessUsage): LoadPhase {
  const requests = latencies.length
  return {
    requests,
    refused,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMillisecondsPerRequest: cpuMilliseconds / requests,
    memory,
  }
}

const megabyte = 1_000_000

/** How much higher the memory of the second half is than that of the first, at most. */
export function memoryRise(memory: readonly number[]): number {
  const half = Math.ceil(memory.length / 2)
  return Math.max(...memory.slice(half - 1)) / Math.max(...memory.slice(0, half))
}

const phasesOf = (server: LoadedServer): LoadPhase[] => Object.values(server)
const cpuOf = ({ loaded }: LoadedServer) => loaded.cpuMillisecondsPerRequest
const slowdownOf = ({ loaded, unloaded }: LoadedServer) => loaded.p99 / unloaded.p50
const slowdownAtOnceOf = ({ loaded, atOnce }: LoadedServer) => loaded.p99 / atOnce.p50
const times = (value: number) => value.toFixed(1)

interface LoadTarget {
  readonly about: string
  readonly atMost: number
  readonly of: (api: LoadedServer, plain: LoadedServer) => number
  readonly write: (value: number) => string
  /** What the value can be judged by, such as that of a server that does nothing else on the same machine. */
  readonly beside?: (api: LoadedServer, plain: LoadedServer) => string
}

/** What the API may take of the machine. Memory is flat where its second half rises by no more than a tenth. */
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
      `plain Hono's own: ${times(slowdownOf(plain))}; times the p50 of one connection that asks again at once: ` +
      `${times(slowdownAtOnceOf(api))}, and plain Hono's: ${times(slowdownAtOnceOf(plain))}`,
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

/** The API's ratios by target, and whether each is met, in words. */
export function judgeLoad(api: LoadedServer, plain: LoadedServer) {
  const judged = Object.entries(loadTargets).map(([name, { about, atMost, of, write, beside }]) => {
    const ratio = of(api, plain)
    const note = beside ? ` (${beside(api, plain)})` : ''
    return { name, ratio, met: ratio <= atMost, text: `${about}: ${write(ratio)}, at most ${write(atMost)}${note}` }
  })
  const refused = phasesOf(api).reduce((sum, phase) => sum + phase.refused, 0)
  return {
    ratios: Object.fromEntries(judged.map(({ name, ratio }) => [name, ratio])),
    lines: [
      ...judged.map(({ met, text }) => ({ met, text })),
      ...(refused > 0 ? [{ met: false, text: `${refused} requests refused` }] : []),
    ],
  }
}
