import { readdirSync, readFileSync } from 'node:fs'

/** Nothing of this process runs meanwhile, as in a pause of the machine; a server that was frozen first stays so too. */
export function blockProcess(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** Returns when each of its threads has stopped: on a busy machine they run on for a while after the signal. SIGCONT thaws it. */
export function freezeProcess(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  const threads = `/proc/${pid}/task`
  while (readdirSync(threads).some((thread) => runs(`${threads}/${thread}/stat`))) blockProcess(1)
}

/** By its letter (proc_pid_stat(5)). */
function runs(stat: string): boolean {
  try {
    return !/\) [TZX] /.test(readFileSync(stat, 'utf8'))
  } catch {
    // It ended meanwhile.
    return false
  }
}
