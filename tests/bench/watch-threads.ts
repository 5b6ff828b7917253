import { readdirSync, readFileSync } from 'node:fs'
import { cpuMsOf } from './watch-process.ts'

/** Often enough that a pool's thread rarely changes its name between two samples. */
const sampleEveryMs = 200

/** Processor time of a process during a task, in milliseconds by the names of its threads. */
export async function watchThreads<Result>(
  pid: number,
  task: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly cpuMs: ReadonlyMap<string, number> }> {
  const cpuMs = new Map<string, number>()
  const folder = `/proc/${pid}/task`
  let before = new Map<string, number>()
  function sample(isFirst = false): void {
    const now = new Map<string, number>()
    for (const thread of readdirSync(folder)) {
      const stat = statOf(`${folder}/${thread}/stat`)
      if (stat === undefined) continue
      const total = cpuMsOf(stat)
      now.set(thread, total)
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
      const used = total - (before.get(thread) ?? 0)
      if (!isFirst && used > 0) cpuMs.set(name, (cpuMs.get(name) ?? 0) + used)
    }
    before = now
  }
  sample(true)
  const sampling = setInterval(sample, sampleEveryMs)
  try {
    const result = await task()
    sample()
    return { result, cpuMs }
  } finally {
    clearInterval(sampling)
  }
}

/** Undefined if the thread has ended. */
function statOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
