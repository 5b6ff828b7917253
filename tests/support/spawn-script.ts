import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { builtPath, root } from './programs.ts'

/** A program of the project, built and run as a user would, with what it has printed so far. */
export interface SpawnedScript {
  readonly child: ChildProcess
  /** Both streams, in the order they came. */
  output(): string
  /** The first match in the output. Throws if it prints nothing for five minutes, or ends, without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code, once it has ended; null when a signal ended it. */
  ended(): Promise<number | null>
}

const printLimitMs = 300_000

/** @param file from the project's root, such as `app/start.ts`; built before (`programs.ts`). */
export function spawnScript(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): SpawnedScript {
  const child = spawn(process.execPath, [builtPath(file), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let hasEnded = false
  child.once('close', () => {
    hasEnded = true
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  return {
    child,
    output: () => output,
    async printed(pattern) {
      let printedAt = Date.now()
      for (let length = output.length; Date.now() < printedAt + printLimitMs; length = output.length) {
        const found = pattern.exec(output)
        if (found) return found
        if (hasEnded) break
        await new Promise((resolve) => setTimeout(resolve, 20))
        if (output.length > length) printedAt = Date.now()
      }
      throw new Error(`${file} has not printed ${pattern}; it printed:\n${output}`)
    },
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child.exitCode
    },
  }
}
