/** @module Parameters of several values, and of a part of one (Rule 22). */

import { z } from 'zod'
import { filterable } from './filterable.ts'
import { param } from './params.ts'

/** Rule 22. */
const maxValues = 20

/** Several values of a filter, each in a separate parameter; without repeats, in one order. */
export const repeated = (value: z.ZodType<string, string>, description: string, example: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .pipe(z.array(value).max(maxValues, { error: `can be sent at most ${maxValues} times` }))
    // One order, because a cursor and a cached response are bound to the set.
    .transform((values): readonly string[] => [...new Set(values)].sort())
    .meta({
      description,
      override: { type: 'array', items: itemSchema(value), maxItems: maxValues, examples: [[example]] },
    })

function itemSchema(value: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(value, { io: 'input' })
  return schema
}

const orNoValue = (allowed: string) => `must be ${allowed}, or empty for no value`

/** One of several values of a text filter. */
export function textValue(maxLength: number) {
  const error = orNoValue(`at most ${maxLength} characters of printable ASCII without the backslash`)
  return z.string({ error }).max(maxLength, { error }).regex(filterable, { error })
}

/** One of several values of an enumeration. */
export const enumValue = (values: readonly string[]) =>
  z.enum(['', ...values], { error: orNoValue(`one of ${values.join(', ')}`) })

/** One of several ids. */
export const uuidValue = z
  .string()
  .regex(/^([\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12})?$/, { error: orNoValue('a UUID') })
  .toLowerCase()

const [minSubstring, maxSubstring] = [2, 64]

export const substring = (description: string, example: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .min(minSubstring, { error })
        .max(maxSubstring, { error })
        .regex(filterable, { error })
        .meta({ examples: [example] }),
    `${minSubstring} to ${maxSubstring} characters of printable ASCII without the backslash`,
    description,
  )
