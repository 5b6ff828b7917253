/** @module Processor time and starts of every process below one, by kind; from Linux's /proc. */

import { readdirSync, readFileSync } from 'node:fs'
import { cpuMsOf } from '../watch-process.ts'

export interface KindUsage {
  readonly processes: number
  readonly cpuMs: number
}

interface Seen {
  readonly kind: string
  cpuMs: number
}

/** USER_HZ of Linux is 100. */
const tickMs = 10

/** Time of a process's own children that have ended, in ms. */
function endedChildrenMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * tickMs
}

export class ProcessTimes {
  readonly #root: number
  readonly #seen = new Map<string, Seen>()
  readonly #pids = new Set<number>()

  constructor(root: number) {
    this.#root = root
  }

  /** Reads every process below the root; one that lives and dies between two samples is not seen. */
  sample(): void {
    const stats = new Map(allProcesses().flatMap((pid) => readStat(pid)))
    for (const [pid, stat] of stats) {
      const id = `${pid}@${stat.startedAt}`
      const seen = this.#seen.get(id)
      if (seen) seen.cpuMs = stat.cpuMs
      else if (this.#isBelow(pid, stats)) this.#add(id, pid, stat)
    }
  }

  #add(id: string, pid: number, { parent, cpuMs }: Stat): void {
    const kind = kindOf(commandLine(pid), parent, this.#root)
    // Between fork and exec a child still has its parent's command line.
    if (kind === undefined) return
    this.#seen.set(id, { kind, cpuMs })
    this.#pids.add(pid)
  }

  #isBelow(pid: number, stats: ReadonlyMap<number, Stat>): boolean {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = stats.get(at)?.parent) {
      if (at === this.#root) return true
    }
    return false
  }

  has(pid: string): boolean {
    return this.#pids.has(Number(pid))
  }

  byKind(): Map<string, KindUsage> {
    const kinds = new Map<string, KindUsage>()
    for (const { kind, cpuMs } of this.#seen.values()) {
      const { processes, cpuMs: before } = kinds.get(kind) ?? { processes: 0, cpuMs: 0 }
      kinds.set(kind, { processes: processes + 1, cpuMs: before + cpuMs })
    }
    return kinds
  }
}

interface Stat {
  readonly parent: number
  readonly startedAt: string
  readonly cpuMs: number
}

const allProcesses = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

function readStat(pid: number): [number, Stat][] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [[pid, { parent: Number(fields[1]), startedAt: fields[19] ?? '', cpuMs: cpuMsOf(stat) }]]
  } catch {
    return []
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Processor time of all processes that this one started and that have ended, in ms. */
export function endedMs(): number {
  return endedChildrenMs(readFileSync('/proc/self/stat', 'utf8'))
}

const isVitest = (command: string) => command.includes('vitest')

function kindOf(command: string, parent: number, root: number): string | undefined {
  if (command.includes('server-process.mjs')) {
    if (parent !== root) return 'engine of a file'
    return command.includes('--tcp_port=') ? 'shard of the cluster' : 'shared engine'
  }
  const program = /(?:app|\.build|tests\/support|tests\/bench)\/(?:\w|[-/])*?([\w-]+)\.(?:ts|m?js)/.exec(command)?.[1]
  if (program && !isVitest(command)) return `program ${program}`
  if (command.includes('chromium')) return 'browser'
  if (command.includes('redis-server')) return 'redis'
  if (command.includes('esbuild')) return 'esbuild'
  if (command.includes('promtool')) return 'promtool'
  if (/\/(?:forks|threads)\.js|workers?\//.test(command)) return 'test worker'
  if (isVitest(command)) return 'vitest'
  return command === '' ? undefined : `other: ${command.split(' ')[0]?.split('/').at(-1)}`
}
