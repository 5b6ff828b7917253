import { Argument, Option } from '@commander-js/extra-typings'
import type { z } from 'zod'

/** What an option or a positional argument takes. */
interface Allowed<Value> {
  /** Its purpose, with its unit and its default. */
  readonly about: string
  /** Completes "--name takes": "a whole number from 1 to 3650". */
  readonly takes: string
  /** Reads the text of the command line. */
  readonly schema: z.ZodType<Value>
}

/** An option with a value. @param flags such as `--tenant <ID>`. */
export function option<Flags extends string, Value>(flags: Flags, allowed: Allowed<Value>) {
  const made = new Option(flags, `${allowed.about}: ${allowed.takes}`)
  return made.argParser((text: string, previous: Value): Value => {
    if (previous !== made.defaultValue) throw new Error(`${made.long} is given twice`)
    return read(made.long, text, allowed)
  })
}

/** An option that may be given several times. */
export function repeatableOption<Flags extends string, Value>(flags: Flags, allowed: Allowed<Value>) {
  const made = new Option(flags, `${allowed.about}: ${allowed.takes}; repeat the flag for more`)
  return made.argParser((text: string, previous: Value[] = []): Value[] => [
    ...previous,
    read(made.long, text, allowed),
  ])
}

/** A positional argument. @param usage such as `<FILE>`. */
export function argument<Usage extends string, Value>(usage: Usage, allowed: Allowed<Value>) {
  const made = new Argument(usage, `${allowed.about}: ${allowed.takes}`)
  return made.argParser((text: string): Value => read(made.name(), text, allowed))
}

function read<Value>(label: string | undefined, text: string, { takes, schema }: Allowed<Value>): Value {
  const parsed = schema.safeParse(text)
  if (!parsed.success) throw new Error(`${label} takes ${takes}, not ${JSON.stringify(text)}`)
  return parsed.data
}
