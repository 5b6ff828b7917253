import { CommanderError } from '@commander-js/extra-typings'
import { lackingMigrations } from '../../clickhouse/migrate.ts'
import { readMigrations } from '../../clickhouse/migration-files.ts'
import type { ConnectOptions } from '../../queries/clickhouse/client.ts'
import { queryPools } from '../../queries/clickhouse/query-pools.ts'
import { type Config, collectorUrl, readConfig } from '../config.ts'
import { explainError } from '../program/explain-error.ts'
import type { DatabaseAccess } from '../program/open-database.ts'
import type { CommandSettings, Context, Schema } from './command/context.ts'
import { terminalText } from './command/terminal-text.ts'
import { callersFolder } from './import/import-source.ts'
import { createProgram } from './program.ts'

type Streams = Pick<Context, 'stdin' | 'stdout' | 'stderr'>

/** Runs one command; returns its exit code: 0, 1 (`Context.finish`), or 2 after an error. Never throws. */
export async function runCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  streams: Streams,
  settings: CommandSettings = {},
): Promise<number> {
  const { stdout, stderr } = streams
  const log = (line: string) => void stderr.write(`${line}\n`)
  let read: Config | undefined
  // Read once, because it can print warnings.
  const config = () => (read ??= readConfig(environment, log))
  const database = lazyDatabase(config, log, settings)
  let exitCode = 0
  let result: object | undefined
  const context: Context = {
    ...streams,
    settings,
    folder: callersFolder(environment),
    log,
    database: database.open,
    config,
    collectorUrl: () => collectorUrl(config()),
    finish(object, code = 0) {
      result = object
      exitCode = code
    },
  }
  try {
    await createProgram(context).parseAsync(args, { from: 'user' }).finally(database.close)
    if (result) stdout.write(`${JSON.stringify(result)}\n`)
    return exitCode
  } catch (error) {
    // Thrown by commander after help: code 0 for --help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    // A closed pipe, for example with `head`.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0
    // An error can quote a report.
    const line = terminalText(explainError(error))
    log(
      environment.CLICKHOUSE_URL
        ? line.replace(notAllowed, '$1; use a user with that permission in CLICKHOUSE_URL, such as the writer')
        : line,
    )
    return 2
  }
}

/** ClickHouse's refusal of a user, up to its end. */
const notAllowed = /(: Not enough privileges\..*?)\.?$/

/** A command waits longer than a request if ClickHouse is busy, because nothing waits for it. */
const commandTimeoutMs = 10_000
const { lookup } = queryPools
const patientCommands: ConnectOptions = {
  pools: { ...queryPools, lookup: { ...lookup, timeoutMs: commandTimeoutMs } },
  aliveTimeoutMs: commandTimeoutMs,
  pingTimeoutMs: commandTimeoutMs,
}

function lazyDatabase(readOnce: Context['config'], log: Context['log'], settings: CommandSettings) {
  let opening: Promise<DatabaseAccess> | undefined
  async function openOnce(migrates: 'own' | 'none'): Promise<DatabaseAccess> {
    const config = readOnce()
    // Loaded when it is needed: ClickHouse's clients are half of a command's start.
    const { openDatabase } = await import('../program/open-database.ts')
    const onDeath = () => log('The embedded engine died and is being restarted')
    return openDatabase(config, { onStep: log, connectOptions: patientCommands, ...settings, migrates, onDeath })
  }
  return {
    async open(schema?: Schema): Promise<DatabaseAccess> {
      opening ??= openOnce(schema === 'as it is' ? 'none' : 'own')
      const access = await opening
      if (schema === undefined) await requireMigrations(access)
      return access
    },
    close: () =>
      opening?.then(
        (access) => access.close(),
        () => undefined,
      ),
  }
}

async function requireMigrations({ reader }: DatabaseAccess): Promise<void> {
  const pending = await lackingMigrations(reader, await readMigrations())
  if (pending.length > 0) throw new Error(`The database lacks ${pending.join(', ')}: run "migrate" first`)
}
