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

/** What the API may take of the machine. Memory is flat where its second half rises by no more than a tenth. */
const loadTargets = {
  cpuRatio: 2.5,
  slowdown: 5,
  memoryBytes: 250 * megabyte,
  memoryRise: 1.1,
} as const

const words = {
  cpuRatio: { about: 'CPU a request, times that of plain Hono', write: (value: number) => value.toFixed(1) },
  slowdown: { about: 'p99 under load, times the unloaded p50', write: (value: number) => value.toFixed(1) },
  memoryBytes: { about: 'Most memory', write: (value: number) => `${(value / megabyte).toFixed(0)} MB` },
  memoryRise: {
    about: 'Memory of the second half, times that of the first',
    write: (value: number) => value.toFixed(2),
  },
} as const satisfies Record<keyof typeof loadTargets, object>

/** How much higher the memory of the second half is than that of the first, at most. */
export function memoryRise(memory: readonly number[]): number {
  const half = Math.ceil(memory.length / 2)
  return Math.max(...memory.slice(half - 1)) / Math.max(...memory.slice(0, half))
}

/** The API's ratios, and the targets it misses, in words. */
export function judgeLoad(api: LoadedServer, plain: LoadedServer) {
  const peak = Math.max(...api.unloaded.memory, ...api.loaded.memory)
  const ratios = {
    cpuRatio: api.loaded.cpuMillisecondsPerRequest / plain.loaded.cpuMillisecondsPerRequest,
    slowdown: api.loaded.p99 / api.unloaded.p50,
    memoryBytes: peak,
    memoryRise: memoryRise(api.loaded.memory),
  }
  const names = Object.keys(loadTargets) as (keyof typeof loadTargets)[]
  const lines = names.map((name) => {
    const { about, write } = words[name]
    const [got, most] = [ratios[name], loadTargets[name]]
    return { met: got <= most, text: `${about}: ${write(got)}, at most ${write(most)}` }
  })
  const refused = api.unloaded.refused + api.loaded.refused
  return { ratios, lines: [...lines, ...(refused > 0 ? [{ met: false, text: `${refused} requests refused` }] : [])] }
}
