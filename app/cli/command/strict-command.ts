import {
  Command,
  type CommandUnknownOpts,
  type ErrorOptions,
  type ParseOptionsResult,
} from '@commander-js/extra-typings'

/** A command that parses options strictly; its errors are one line with the allowed values. */
export class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name)
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    if (this.#isGroup(args[0])) return super.parseOptions(args)
    const end = args.indexOf('--')
    const flags = end < 0 ? args : args.slice(0, end)
    // Help takes precedence over errors.
    if (flags.some((word) => word === '--help' || word === '-h')) return super.parseOptions(['--help'])
    for (const [at, word] of flags.entries()) this.#checkValue(word, args[at + 1])
    return super.parseOptions(args)
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const text = code === 'commander.excessArguments' ? '' : message.replace(/^error: /, '').replaceAll(/\s+/g, ' ')
    throw new Error(`${text}${this.#allowed(message, code)}`)
  }

  /** A command with an argument can have subcommands too. */
  #isGroup(word?: string): boolean {
    if (this.registeredArguments.length === 0) return this.commands.length > 0
    return this.commands.some((command) => command.name() === word)
  }

  /** Commander parses `--plan` in `--name --plan team` as a name, and `--force=yes` as an unknown option. */
  #checkValue(word: string, next: string | undefined): void {
    const option = this.options.find(({ long }) => word === long || word.startsWith(`${long}=`))
    if (!option) return
    if (!option.required && word !== option.long) this.error(`${option.long} takes no value`)
    if (option.required && word === option.long && (next === undefined || /^-./.test(next))) {
      const advice = `if the value begins with a dash, write ${option.long}=VALUE`
      this.error(`option '${option.flags}' argument missing (${option.description}); ${advice}`)
    }
  }

  #allowed(message: string, code: string | undefined): string {
    if (this.#isGroup()) return `; commands: ${visibleCommands(this).join(', ')}`
    if (code === 'commander.unknownOption') {
      return `; options: ${this.options.map(({ long }) => long).join(', ') || 'none'}`
    }
    if (code === 'commander.excessArguments') {
      const extra = JSON.stringify(this.args[this.registeredArguments.length])
      return `unexpected argument ${extra}; quote a value that contains spaces`
    }
    const { description } =
      this.options.find(({ flags }) => message === `error: required option '${flags}' not specified`) ??
      this.registeredArguments.find(
        (argument) => message === `error: missing required argument '${argument.name()}'`,
      ) ??
      {}
    return description === undefined ? '' : ` (${description})`
  }
}

/** Names of the commands that --help lists, in its order. */
export const visibleCommands = (command: CommandUnknownOpts): string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((found) => found.name())
    .filter((name) => name !== 'help')
