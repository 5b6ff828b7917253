import { pendingMigrations } from '../../clickhouse/migrate.ts'
import { readMigrations } from '../../clickhouse/migration-files.ts'
import { Problem } from '../../schema/problems.ts'
import { readConfig } from '../config.ts'
import { type EngineAccess, openEngine } from '../engine-access.ts'
import { allCommands } from './all-commands.ts'
import type { Command, CommandGroup, Context, Outcome } from './command.ts'
import { isGroup, renderHelp } from './help.ts'
import { callersFolder } from './import-source.ts'
import { parseArguments } from './parse-arguments.ts'
import { terminalText } from './terminal-text.ts'

type Streams = Pick<Context, 'stdin' | 'stdout' | 'stderr'>

/** Runs one command of the words given and gives the exit code: 0, 1 or 2 (`Outcome`). Never throws. */
export async function runCli(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  streams: Streams,
): Promise<number> {
  const { stdout, stderr } = streams
  try {
    const { path, entry, rest } = findCommand(words)
    if (asksForHelp(rest)) {
      stdout.write(await renderHelp(path, entry, stdout.isTTY))
      return 0
    }
    if (isGroup(entry)) {
      stderr.write(await renderHelp(path, entry, stderr.isTTY))
      return 2
    }
    const { answer, exitCode } = await run(entry, rest, environment, streams)
    if (answer) stdout.write(`${JSON.stringify(answer)}\n`)
    return exitCode ?? 0
  } catch (error) {
    // The reader of a pipe has seen enough.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0
    // It can quote what a report holds.
    stderr.write(`${terminalText(explain(error))}\n`)
    return 2
  }
}

async function run(command: Command, given: readonly string[], environment: NodeJS.ProcessEnv, streams: Streams) {
  const values = parseArguments(command, given)
  const config = readConfig(environment)
  const say = (line: string) => void streams.stderr.write(`${line}\n`)
  let opening: Promise<EngineAccess> | undefined
  const context: Context = {
    ...streams,
    config,
    folder: callersFolder(environment),
    say,
    async engine(schema) {
      opening ??= openEngine(config, {
        onStep: say,
        onDeath: () => say('The embedded engine died and is started again'),
      })
      const access = await opening
      if (schema !== 'any') await requireMigrations(access)
      return access
    },
  }
  try {
    return await (command.run as (values: unknown, context: Context) => Promise<Outcome>)(values, context)
  } finally {
    await opening?.then(
      (access) => access.close(),
      () => undefined,
    )
  }
}

async function requireMigrations({ reader }: EngineAccess): Promise<void> {
  const pending = await pendingMigrations(reader, await readMigrations())
  if (pending.length > 0) throw new Error(`The database lacks ${pending.join(', ')}: run "migrate" first`)
}

function findCommand(words: readonly string[]) {
  const path: string[] = []
  let entry: Command | CommandGroup = allCommands
  let rest = words
  while (isGroup(entry)) {
    const [word, ...after]: readonly string[] = rest
    if (word === undefined || asksForHelp([word])) break
    const found: Command | CommandGroup | undefined = Object.hasOwn(entry.commands, word)
      ? entry.commands[word]
      : undefined
    if (!found)
      throw new Error(`${JSON.stringify(word)} is not a command; there are ${Object.keys(entry.commands).join(', ')}`)
    path.push(word)
    entry = found
    rest = after
  }
  return { path, entry, rest }
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h')
}

/** What an error says to the person at the terminal. */
function explain(error: unknown): string {
  if (error instanceof Problem && error.cause !== undefined) return explain(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return explain(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.message.trim() || (error as NodeJS.ErrnoException).code || error.name
}
