/** @module Runs the two benchmark commands. */

import { resolve } from 'node:path'
import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { StrictCommand } from '../../app/cli/command/strict-command.ts'
import { withHelp } from '../../app/cli/command/subcommand.ts'
import { callersFolder } from '../../app/cli/import/import-source.ts'

/** @param program as typed, `npm run bench --`. */
export const measuringCommand = (program: string, help: Parameters<typeof withHelp>[1]) =>
  withHelp(new StrictCommand(program), help).exitOverride()

/** An error is one line on stderr and exit code 2. */
export async function runCommand(command: CommandUnknownOpts): Promise<void> {
  // A reader such as `head` closes the pipe early.
  process.stdout.on('error', () => undefined)
  try {
    await command.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) return
    const message = error instanceof Error ? error.message : String(error)
    // ClickHouse's errors quote the whole statement.
    printLine(message.slice(0, maxMessageLength))
    process.exitCode = 2
  }
}

const maxMessageLength = 600

/** npm changes the folder; relative paths are from the caller's. */
export const resolveCallerPath = (path: string): string => resolve(callersFolder(process.env), path)

export const printLine = (line: string): void => void process.stderr.write(`${line}\n`)
