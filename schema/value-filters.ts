/**
 * @module Filters of several values and of a substring, in addition to a filter `x`: `x.any`, `x.not`, `x.contains`
 * (Rule 22).
 */

import type { z } from 'zod'
import { addition } from './additions.ts'
import type { Matcher } from './dimensions.ts'
import { enumValue, repeated, substring, textValue, uuidValue } from './value-params.ts'

const filterOperators = ['any', 'not', 'contains'] as const

export type FilterOperator = (typeof filterOperators)[number]

/** `any`: one of the values, '' for none. `not`: none of them. `contains`: the value is a substring. */
export interface ValueCondition {
  readonly operator: FilterOperator
  readonly values: readonly string[]
}

interface Filtered {
  /** Follows "Filters by". */
  readonly about: string
  readonly example: string
}

type ValueParam = z.ZodType<string | readonly string[] | undefined>

/** Parameters by name; only text has a part to search. */
export function valueFilters<Name extends string>(name: Name, match: Matcher, { about, example }: Filtered) {
  const value = valueParam(match)
  const text = match.kind === 'text'
  const wildcard = text ? '; `_` matches any one character' : ''
  const several = `; repeat it for up to 20 values; an empty value selects reports without a value${wildcard}`
  const part = match.kind === 'text' && match.lowerCase ? ', case-insensitive' : ''
  const params = {
    [`${name}.any`]: addition(repeated(value, `Filters by ${about}: equal to one of these values${several}`, example)),
    [`${name}.not`]: addition(repeated(value, `Filters by ${about}: equal to none of these values${several}`, example)),
    ...(text && {
      [`${name}.contains`]: containedText(match, `Filters by ${about}: contains this text${part}`, example),
    }),
  }
  return params as Readonly<Record<`${Name}.${FilterOperator}`, ValueParam>>
}

function valueParam(match: Matcher): z.ZodType<string, string> {
  if (match.kind === 'uuid') return uuidValue
  if (match.kind === 'enum') return enumValue(match.values)
  const text = textValue(match.maxLength)
  return match.lowerCase ? text.toLowerCase() : text
}

function containedText(match: Matcher & { kind: 'text' }, description: string, example: string): ValueParam {
  const text = substring(description, example.slice(0, 8))
  return addition(match.lowerCase ? text.toLowerCase() : text)
}

/** Reads the conditions of a filter and its variants from a query, each with its parameter. */
export function conditionsOf(name: string) {
  const parameters = [[name, 'any'] as const, ...filterOperators.map((one) => [`${name}.${one}`, one] as const)]
  return (query: Readonly<Record<string, unknown>>): readonly (ValueCondition & { readonly parameter: string })[] =>
    parameters.flatMap(([parameter, operator]) => {
      const given = query[parameter]
      return given === undefined ? [] : [{ parameter, operator, values: [given].flat() as string[] }]
    })
}
