import { parseArgs } from 'node:util'
import type { Argument, Command } from './command.ts'

/**
 * Reads a command's arguments strictly: citty passes over flags it does not know, and a misspelt one must not be lost.
 * Throws an Error of one line that says what is allowed.
 */
export function parseArguments(command: Command, given: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(command.arguments)
  const { values, positionals } = readTokens(entries, given)
  const [name, argument] = entries.find(([, { kind }]) => kind === 'positional') ?? []
  if (positionals.length > (argument ? 1 : 0)) {
    const extra = positionals[argument ? 1 : 0]
    throw new Error(`${JSON.stringify(extra)} is one argument too many; quote a value that holds spaces`)
  }
  if (name !== undefined && positionals[0] !== undefined) values[name] = positionals[0]
  return Object.fromEntries(entries.map(([key, each]) => [key, readValue(key, each, values[key])]))
}

/** Whether a command goes without this argument. */
export function isOptional({ shape }: Argument): boolean {
  return shape.safeParse(undefined).success
}

type Given = string | boolean | string[]

function readTokens(entries: readonly [string, Argument][], given: readonly string[]) {
  const flags = new Map(entries.filter(([, { kind }]) => kind !== 'positional'))
  const options = Object.fromEntries(
    [...flags].map(([name, { kind }]) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...given], options, strict: false, allowPositionals: true, tokens: true })
  const values: Record<string, Given> = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = token.rawName.startsWith('--') ? flags.get(token.name) : undefined
    if (!flag) throw new Error(`${token.rawName} is not a flag of this command; it takes ${flagNames(flags)}`)
    const before = values[token.name]
    if (before !== undefined && flag.kind !== 'repeated') throw new Error(`--${token.name} is given twice`)
    const swallowed = token.value !== undefined && !token.inlineValue && /^-./.test(token.value)
    values[token.name] = readFlag(token.name, flag, swallowed ? undefined : token.value, before)
  }
  return { values, positionals }
}

function readFlag(name: string, flag: Argument, value: string | undefined, before: Given | undefined): Given {
  if (flag.kind === 'switch') {
    if (value !== undefined) throw new Error(`--${name} takes no value`)
    return true
  }
  if (value === undefined)
    throw new Error(`--${name} takes ${flag.takes}; write --${name}=VALUE where it begins with a dash`)
  return flag.kind === 'repeated' ? [...(Array.isArray(before) ? before : []), value] : value
}

function readValue(name: string, argument: Argument, value: Given | undefined): unknown {
  const parsed = argument.shape.safeParse(value)
  if (parsed.success) return parsed.data
  const label = argument.kind === 'positional' ? argument.hint : `--${name}`
  if (value === undefined) throw new Error(`${label} is missing: it takes ${argument.takes}`)
  throw new Error(`${label} takes ${argument.takes}, not ${JSON.stringify(value)}`)
}

function flagNames(flags: ReadonlyMap<string, Argument>): string {
  return flags.size === 0 ? 'none' : [...flags.keys()].map((name) => `--${name}`).join(', ')
}
