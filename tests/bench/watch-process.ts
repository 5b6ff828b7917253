/** @module CPU time and memory of processes, from Linux's /proc. */

import { readFileSync } from 'node:fs'

export interface ProcessUsage {
  readonly cpuMs: number
  /** Resident bytes, second by second. */
  readonly memory: readonly number[]
}

/** USER_HZ of Linux is 100. */
const tickMs = 10

/** @param stat text of /proc/PID/stat. */
export function cpuMsOf(stat: string): number {
  // The process name can contain spaces and parentheses, so fields count from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

export const cpuOf = (pid: number): number => cpuMsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))

const memoryOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Usage of a process during a task. */
export async function watchProcess<Result>(
  pid: number,
  task: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly usage: ProcessUsage }> {
  const before = cpuOf(pid)
  const memory = [memoryOf(pid)]
  const sampling = setInterval(() => memory.push(memoryOf(pid)), 1000)
  try {
    const result = await task()
    return { result, usage: { cpuMs: cpuOf(pid) - before, memory: [...memory, memoryOf(pid)] } }
  } finally {
    clearInterval(sampling)
  }
}
