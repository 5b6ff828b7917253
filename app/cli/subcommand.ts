import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'

/** What the help of a command says. */
interface Help {
  readonly about: string
  /** Rules and exit codes. */
  readonly notes?: readonly string[]
  /** Lines that work when pasted, without the program's name. */
  readonly examples?: readonly string[]
}

/** Adds a command to a group or a program, with its help. */
export function subcommand(parent: CommandUnknownOpts, name: string, help: Help): Command {
  return withHelp(parent.command(name), help)
}

/** Gives a command its description, and below its options notes and examples. */
export function withHelp(command: Command, { about, notes = [], examples = [] }: Help): Command {
  const program = programOf(command)
  const lines = [
    ...section('Notes', notes),
    ...section(
      'Examples',
      examples.map((line) => `${program} ${line}`),
    ),
  ]
  return command.description(about).addHelpText('after', lines.join('\n'))
}

function programOf(command: CommandUnknownOpts): string {
  return command.parent ? programOf(command.parent) : command.name()
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`.trimEnd())]
}
