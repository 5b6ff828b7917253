import { resolve } from 'node:path'
import type { Argument, Command } from '../../app/cli/command.ts'
import { callersFolder } from '../../app/cli/import-source.ts'
import { parseArguments } from '../../app/cli/parse-arguments.ts'

/** A measuring command, run by npm. */
export interface MeasuringCommand<Values> {
  /** As it is typed, `npm run bench --`. */
  readonly program: string
  readonly about: string
  readonly arguments: { readonly [Name in keyof Values]: Argument<Values[Name]> }
  readonly notes: readonly string[]
  /** Lines behind the program's name. */
  readonly examples: readonly string[]
  /** The exit code. */
  run(values: Values): Promise<number>
}

/** Runs it with what stands behind its name; a mistake is one line on stderr and exit code 2. */
export async function runCommand<Values>(command: MeasuringCommand<Values>, words: readonly string[]): Promise<void> {
  if (words.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(helpOf(command))
    return
  }
  try {
    const values = parseArguments(command as unknown as Command, words)
    process.exitCode = await command.run(values as Values)
  } catch (error) {
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

function helpOf<Values>({ program, about, arguments: all, notes, examples }: MeasuringCommand<Values>): string {
  const rows = Object.entries<Argument>(all).map(([name, { hint, about: says, takes, kind }]) => {
    const flag = `--${name} ${hint}${kind === 'repeated' ? '...' : ''}`
    return `  ${flag.trim().padEnd(18)} ${kind === 'switch' ? says : `${says}: ${takes}`}`
  })
  return [
    about,
    '',
    `USAGE  ${program} [OPTIONS]`,
    '',
    'OPTIONS',
    '',
    ...rows,
    '',
    'NOTES',
    '',
    ...notes.map((note) => `  ${note}`),
    '',
    'EXAMPLES',
    '',
    ...examples.map((example) => `  ${program} ${example}`),
    '',
  ].join('\n')
}
