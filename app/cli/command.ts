import type { z } from 'zod'
import type { Config } from '../config.ts'
import type { EngineAccess } from '../engine-access.ts'

/** A flag or a positional argument of a command. It is required where its shape refuses undefined. */
export interface Argument<Value = unknown> {
  /** Reads the text given: a list of texts where the flag repeats, true where it is a switch. */
  readonly shape: z.ZodType<Value>
  /** What stands for the value in the usage line, `ID`. */
  readonly hint: string
  /** What it is for, with its unit and its default. */
  readonly about: string
  /** What is allowed, to be read after "takes": "a whole number from 1 to 3650". */
  readonly takes: string
  readonly kind?: 'repeated' | 'switch' | 'positional'
}

/** The values of a command's arguments, by their names. */
type Values<Arguments extends Readonly<Record<string, Argument>>> = {
  readonly [Name in keyof Arguments]: z.infer<Arguments[Name]['shape']>
}

/** What a command reaches of the world. */
export interface Context {
  readonly config: Config
  /** Where the caller's relative paths start from. */
  readonly folder: string
  /** The engine, opened at the first call and closed after the command; with every migration, unless any will do. */
  engine(schema?: 'any'): Promise<EngineAccess>
  /** One line for people, on stderr. */
  say(line: string): void
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** How a command ended: its one JSON object, and whether it did only part of what was asked or found a difference. */
export interface Outcome {
  readonly answer?: object
  /** 1 where some lines were rejected or rollups differ. A command that did nothing throws instead. */
  readonly exitCode?: 0 | 1
}

/** One command, `tenants create`. */
export interface Command {
  readonly about: string
  readonly arguments: Readonly<Record<string, Argument>>
  /** What the help adds: rules, exit codes. */
  readonly notes?: readonly string[]
  /** Lines that work when pasted, without `npm run --silent cli --`. */
  readonly examples: readonly string[]
  run(values: never, context: Context): Promise<Outcome>
}

/** Commands by name, in groups of them. */
export interface CommandGroup {
  readonly about: string
  readonly notes?: readonly string[]
  readonly commands: Readonly<Record<string, Command | CommandGroup>>
}

/** Declares a command, so that `run` gets its arguments typed. Throw an Error of one line for "nothing done". */
export function command<Arguments extends Readonly<Record<string, Argument>>>(definition: {
  readonly about: string
  readonly arguments: Arguments
  readonly notes?: readonly string[]
  readonly examples: readonly string[]
  run(values: Values<Arguments>, context: Context): Promise<Outcome>
}): Command {
  return definition
}
