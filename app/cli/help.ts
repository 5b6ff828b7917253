import { stripVTControlCharacters } from 'node:util'
import { type ArgsDef, type CommandDef, defineCommand, renderUsage } from 'citty'
import type { Argument, Command, CommandGroup } from './command.ts'
import { isOptional } from './parse-arguments.ts'

const program = 'npm run --silent cli --'

/** The help of a command or a group of them. @param path the words that lead to it. */
export async function renderHelp(path: readonly string[], entry: Command | CommandGroup, colours: boolean) {
  const usage = await renderUsage(toCitty([program, ...path].join(' '), entry))
  const examples = isGroup(entry) ? [] : entry.examples.map((line) => `${program} ${line}`)
  const text = [usage, ...section('NOTES', entry.notes ?? []), ...section('EXAMPLES', examples)].join('\n')
  return `${(colours ? text : stripVTControlCharacters(text)).replaceAll(/ +$/gm, '').trimEnd()}\n`
}

/** Whether an entry is a group. */
export function isGroup(entry: Command | CommandGroup): entry is CommandGroup {
  return 'commands' in entry
}

function toCitty(name: string, entry: Command | CommandGroup): CommandDef {
  const meta = { name, description: entry.about }
  if (!isGroup(entry)) return defineCommand({ meta, args: toArgs(entry.arguments) })
  const subCommands = Object.entries(entry.commands).map(([word, sub]) => [word, toCitty(word, sub)])
  return defineCommand({ meta, subCommands: Object.fromEntries(subCommands) })
}

function toArgs(all: Readonly<Record<string, Argument>>): ArgsDef {
  const args = Object.entries(all).map(([name, argument]) => {
    const { kind, hint, about, takes } = argument
    const required = !isOptional(argument)
    if (kind === 'positional') return [hint, { type: kind, required, description: `${about}: ${takes}` }]
    if (kind === 'switch') return [name, { type: 'boolean', description: about }]
    const description = `${about}: ${takes}${kind === 'repeated' ? '; repeat the flag for more' : ''}`
    return [name, { type: 'string', valueHint: hint, required, description }]
  })
  return Object.fromEntries(args)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, '', ...lines.map((line) => `  ${line}`)]
}
