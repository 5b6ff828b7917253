/** @module Commands with their help: description, options, notes and examples. */

import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'

export interface Help {
  readonly about: string
  /** Read when help is shown. */
  readonly notes?: readonly string[] | (() => readonly string[])
  /** Command lines without the program's name. */
  readonly examples?: readonly string[]
  /** Hidden in the parent's --help. */
  readonly hidden?: boolean
}

export function subcommand(parent: CommandUnknownOpts, name: string, help: Help): Command {
  return withHelp(parent.command(name, { hidden: help.hidden ?? false }), help)
}

export function withHelp(command: Command, { about, notes = [], examples = [] }: Help): Command {
  const program = programOf(command)
  const text = () =>
    [
      ...section('Notes', typeof notes === 'function' ? notes() : notes),
      ...section(
        'Examples',
        examples.map((line) => `${program} ${line}`),
      ),
    ].join('\n')
  return command.description(about).addHelpText('after', text)
}

function programOf(command: CommandUnknownOpts): string {
  return command.parent ? programOf(command.parent) : command.name()
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`.trimEnd())]
}
