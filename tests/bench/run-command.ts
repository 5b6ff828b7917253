import { resolve } from 'node:path'
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { callersFolder } from '../../app/cli/import-source.ts'
import { StrictCommand } from '../../app/cli/strict-command.ts'
import { withHelp } from '../../app/cli/subcommand.ts'

/** A measuring command, run by npm. @param program as it is typed, `npm run bench --`. */
export const measuringCommand = (program: string, help: Parameters<typeof withHelp>[1]) =>
  withHelp(new StrictCommand(program), help).exitOverride()

/** Runs it with the words behind its name; a mistake is one line on stderr and exit code 2. */
export async function runCommand(command: CommandUnknownOpts): Promise<void> {
  // A reader such as `head` closes the pipe early.
  process.stdout.on('error', () => undefined)
  try {
    await command.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) return
    const message = error instanceof Error ? error.message : String(error)
    // The engine quotes the whole statement that it refuses.
    say(message.slice(0, longestMessage))
    process.exitCode = 2
  }
}

const longestMessage = 600

/** A path as the caller means it, who may stand in another folder than npm. */
export const callersPath = (path: string): string => resolve(callersFolder(process.env), path)

/** One line for people, on stderr. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)
