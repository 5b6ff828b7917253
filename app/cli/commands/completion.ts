/** @module Completion of shells: a script per shell asks the hidden command `complete` for the next word. */

import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import { z } from 'zod'
import { argument } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { visibleCommands } from '../command/strict-command.ts'
import { subcommand } from '../command/subcommand.ts'

/** Each script offers file names if there is no other completion. */
const scripts = {
  bash: `_security_reporting() {
  local IFS=$'\\n'
  COMPREPLY=($(security-reporting complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _security_reporting security-reporting
`,
  zsh: `#compdef security-reporting
_security_reporting() {
  local -a found
  found=(\${(f)"$(security-reporting complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _security_reporting security-reporting
`,
  fish: `function __security_reporting
  set --local found (security-reporting complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if set --query found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete --command security-reporting --no-files --arguments '(__security_reporting)'
`,
}

const shells = ['bash', 'zsh', 'fish'] as const

const shell = argument('<SHELL>', {
  about: 'The shell',
  takes: `one of ${shells.join(', ')}`,
  schema: z.enum(shells),
})

export function addCompletion(program: Command, context: Context): void {
  subcommand(program, 'completion', {
    about: 'Print a shell completion script',
    notes: [
      'In ~/.bashrc:                      source <(security-reporting completion bash)',
      'In ~/.zshrc, after compinit:      source <(security-reporting completion zsh)',
      'In ~/.config/fish/config.fish:     security-reporting completion fish | source',
    ],
    examples: ['completion bash'],
  })
    .addArgument(shell)
    .action((shell) => void context.stdout.write(scripts[shell]))

  subcommand(program, 'complete', {
    about: 'Print the completions of the last word, one per line',
    examples: ['complete -- keys cr'],
    hidden: true,
  })
    .argument('[words...]', 'The words after the program name')
    .action(
      (words) =>
        void context.stdout.write(
          completions(program, words)
            .map((word) => `${word}\n`)
            .join(''),
        ),
    )
}

/** Completions of the last word, in the order of --help. @param words after the program's name. */
function completions(program: CommandUnknownOpts, words: readonly string[]): string[] {
  const previous = words.slice(0, -1)
  const begun = words.at(-1) ?? ''
  let command = program
  for (const word of previous) command = command.commands.find((found) => found.name() === word) ?? command
  const takesValue = command.options.some(({ long, required }) => required && long === previous.at(-1))
  if (takesValue) return []
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .map(({ long }) => long ?? '')
  return (begun.startsWith('-') ? flags : visibleCommands(command)).filter((word) => word.startsWith(begun))
}
