import type { AddHelpTextContext, CommandUnknownOpts } from '@commander-js/extra-typings'

/** What a command's help has below its options. */
interface HelpText {
  /** Rules and exit codes. */
  readonly notes?: readonly string[]
  /** Lines that work when pasted, without the program's name. */
  readonly examples?: readonly string[]
}

/** The notes and the examples of a command, for `addHelpText('after', ...)`. */
export function helpText({ notes = [], examples = [] }: HelpText) {
  return ({ command }: AddHelpTextContext): string => {
    const program = programOf(command)
    return [
      ...section('Notes', notes),
      ...section(
        'Examples',
        examples.map((line) => `${program} ${line}`),
      ),
    ].join('\n')
  }
}

function programOf(command: CommandUnknownOpts): string {
  return command.parent ? programOf(command.parent) : command.name()
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`.trimEnd())]
}
