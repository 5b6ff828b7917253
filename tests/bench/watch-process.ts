import { readFileSync } from 'node:fs'

/** What a process took while it was watched. */
export interface ProcessUsage {
  readonly cpuMilliseconds: number
  /** Resident memory, second by second, in bytes. */
  readonly memory: readonly number[]
}

/** Linux counts CPU time in hundredths of a second, for programs. */
const tickMilliseconds = 10

/** User and system time of a process in milliseconds, from /proc. */
export function cpuMillisecondsOf(stat: string): number {
  // The name in parentheses can hold anything; the fields after it are counted from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMilliseconds
}

/** CPU time that a running process has taken, in milliseconds. */
export const cpuOf = (pid: number): number => cpuMillisecondsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))

const memoryOf = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Watches a process while a task runs. Linux alone tells this. */
export async function watchProcess<Result>(
  pid: number,
  task: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly usage: ProcessUsage }> {
  const before = cpuOf(pid)
  const memory = [memoryOf(pid)]
  const sampling = setInterval(() => memory.push(memoryOf(pid)), 1000)
  try {
    const result = await task()
    return { result, usage: { cpuMilliseconds: cpuOf(pid) - before, memory: [...memory, memoryOf(pid)] } }
  } finally {
    clearInterval(sampling)
  }
}
