import { Command, type ErrorOptions, type ParseOptionsResult } from '@commander-js/extra-typings'

/** A command of commander that reads its options strictly, and fails with one line that says what is allowed. */
export class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name)
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    if (this.commands.length > 0) return super.parseOptions(words)
    const end = words.indexOf('--')
    const flags = end < 0 ? words : words.slice(0, end)
    // Help is shown before a mistake elsewhere on the line is reported.
    if (flags.some((word) => word === '--help' || word === '-h')) return super.parseOptions(['--help'])
    for (const [at, word] of flags.entries()) this.#checkValue(word, words[at + 1])
    return super.parseOptions(words)
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    throw new Error(`${message.replace(/^error: /, '').replaceAll(/\s+/g, ' ')}${this.#allowed(message, code)}`)
  }

  /** Commander takes `--plan` in `--name --plan team` for a name, and `--force=yes` for an unknown option. */
  #checkValue(word: string, next: string | undefined): void {
    const option = this.options.find(({ long }) => word === long || word.startsWith(`${long}=`))
    if (!option) return
    if (!option.required && word !== option.long) this.error(`${option.long} takes no value`)
    if (option.required && word === option.long && (next === undefined || /^-./.test(next))) {
      const advice = `write ${option.long}=VALUE where it begins with a dash`
      this.error(`option '${option.flags}' argument missing (${option.description}); ${advice}`)
    }
  }

  /** The end of an error's line. @param message as commander words it, with the name of an option or argument. */
  #allowed(message: string, code: string | undefined): string {
    if (this.commands.length > 0) return `; there are ${this.commands.map((command) => command.name()).join(', ')}`
    if (code === 'commander.unknownOption') {
      return `; it takes ${this.options.map(({ long }) => long).join(', ') || 'none'}`
    }
    if (code === 'commander.excessArguments') {
      const extra = JSON.stringify(this.args[this.registeredArguments.length])
      return ` ${extra} is one too many; quote a value that holds spaces`
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
