/** @module Options and arguments of commander whose values a zod schema parses. */

import { Argument, Option } from '@commander-js/extra-typings'
import type { z } from 'zod'
import { quoteInput } from '../../pipeline/quote-input.ts'

const maxQuoted = 200

interface Allowed<Value> {
  /** Purpose, with unit and default. */
  readonly about: string
  /** Completes "--name must be": "a whole number from 1 to 3650". */
  readonly takes: string
  readonly schema: z.ZodType<Value>
}

export function option<Flags extends string, Value>(flags: Flags, allowed: Allowed<Value>) {
  const created = new Option(flags, `${allowed.about}: ${allowed.takes}`)
  return created.argParser((text: string, previous: Value): Value => {
    if (previous !== created.defaultValue) throw new Error(`${created.long} is given more than once`)
    return parse(created.long, text, allowed)
  })
}

export function repeatableOption<Flags extends string, Value>(flags: Flags, allowed: Allowed<Value>) {
  const created = new Option(flags, `${allowed.about}: ${allowed.takes}; repeat the flag for more`)
  return created.argParser((text: string, previous: Value[] = []) => [...previous, parse(created.long, text, allowed)])
}

export function argument<Usage extends string, Value>(usage: Usage, allowed: Allowed<Value>) {
  const created = new Argument(usage, `${allowed.about}: ${allowed.takes}`)
  return created.argParser((text: string): Value => parse(created.name(), text, allowed))
}

function parse<Value>(label: string | undefined, text: string, { takes, schema }: Allowed<Value>): Value {
  const parsed = schema.safeParse(text)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  if (issue?.code === 'too_big' && issue.origin === 'string') {
    throw new Error(`${label} must have at most ${issue.maximum} characters, not ${text.length}`)
  }
  const explained = issue?.code === 'custom' && issue.message.startsWith('must ') ? issue.message : `must be ${takes}`
  throw new Error(`${label} ${explained}, not ${quoteInput(text, maxQuoted)}`)
}
