import { spawn } from 'node:child_process'
import { PassThrough, type Writable } from 'node:stream'
import type { CommandSettings } from '../../app/cli/command/context.ts'
import { runCli } from '../../app/cli/run-cli.ts'
import { nodeUrls } from '../../queries/clickhouse/nodes.ts'
import { patience } from './patience.ts'
import { builtPath } from './programs.ts'

/** How a command ended. */
export interface CliRun {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  /** Beside PATH and HOME, all of its environment. */
  readonly environment?: Readonly<Record<string, string>>
  readonly stdin?: string | Buffer
  /** Stdout is a terminal. */
  readonly isTerminal?: boolean
  /** Patient ones by default. */
  readonly settings?: CommandSettings
}

/** A URL of several hosts is of a cluster. */
const ofCluster = ({ CLICKHOUSE_URL = '' }: Readonly<Record<string, string>>) =>
  nodeUrls(CLICKHOUSE_URL).length > 1 ? { CLICKHOUSE_CLUSTER: '1' } : {}

/** Runs a command in this process. */
export async function cli(
  args: readonly string[],
  { environment = {}, stdin = '', isTerminal, settings }: CliOptions = {},
) {
  const [stdout, stderr] = [collector(), collector()]
  Object.assign(stdout.stream, { isTTY: isTerminal })
  const input = new PassThrough()
  input.end(stdin)
  const streams = { stdin: input, stdout: stdout.stream, stderr: stderr.stream }
  const code = await runCli(
    args,
    { ...ofCluster(environment), ...environment },
    streams as unknown as Parameters<typeof runCli>[2],
    { connectOptions: patience, ownerTimeoutMs: 120_000, testWaitMs: 300_000, ...settings },
  )
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** A command in a process of its own, as a shell runs it. */
export interface CliProcess {
  readonly stdin: Writable
  readonly ended: Promise<CliRun>
  kill(signal: NodeJS.Signals): void
}

export interface CliProcessOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Closes its stdout at the first chunk, as `head` does. */
  readonly closeStdoutEarly?: boolean
}

/** Starts a command in a process of its own. */
export function startCli(
  args: readonly string[],
  { environment = {}, folder, closeStdoutEarly }: CliProcessOptions = {},
): CliProcess {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [builtPath('app/cli.ts'), ...args], {
    env: { PATH, HOME, ...ofCluster(environment), ...environment },
    ...(folder !== undefined && { cwd: folder }),
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    if (closeStdoutEarly) child.stdout.destroy()
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  // A command that reads no stdin closes it.
  child.stdin.on('error', () => undefined)
  return {
    stdin: child.stdin,
    ended: new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, stdout, stderr }))
    }),
    kill: (signal) => child.kill(signal),
  }
}

function collector() {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}
