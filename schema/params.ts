/** @module Query and path parameters: the validator reads `error`, the OpenAPI document `meta`. */

import { z } from 'zod'
import { dayMs, minuteMs } from './durations.ts'
import { filterable } from './filterable.ts'
import { durationPattern, parseDuration } from './parse-duration.ts'

/** @param allowed follows "must be" in the error. */
export function param<T extends z.ZodType>(make: (error: string) => T, allowed: string, description: string): T {
  return make(`must be ${allowed}`).meta({ description }) as T
}

/** Decimal digits only: no sign, space, exponent or hexadecimal. */
export const integer = (min: number, max: number, description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .regex(/^\d{1,9}$/, { error })
        .transform(Number)
        .refine((value) => value >= min && value <= max, { error })
        .meta({ override: { type: 'integer', minimum: min, maximum: max } }),
    `an integer from ${min} to ${max}`,
    description,
  )

export const exactText = (maxLength: number, description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .min(1, { error: `${error} (omit the filter to include reports without a value)` })
        .max(maxLength, { error })
        .regex(filterable, { error }),
    `1 to ${maxLength} characters of printable ASCII without the backslash`,
    description,
  )

export const textFilter = (maxLength: number, description: string) =>
  exactText(maxLength, `${description}; \`_\` matches any one character`)

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  param((error) => z.enum(values, { error }), `one of ${values.join(', ')}`, description)

/** Any 8-4-4-4-12 hexadecimal id: a UUID outside the RFC is unknown, not malformed. */
export const uuid = (description: string) =>
  param(
    (error) =>
      z
        .guid({ error })
        .toLowerCase()
        .meta({ override: { type: 'string', format: 'uuid' } }),
    'a UUID',
    description,
  )

const dateTimePattern = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,3})?([Zz]|[+-]\d\d:\d\d)$/

/** Exclusive bound of stored times, in milliseconds since the Unix epoch. */
export const endOfTimes = Date.UTC(2200, 0, 1)

/** Without the digits below a millisecond. */
export const toMilliseconds = (text: string) => text.replace(/(\.\d{3})\d{1,6}(?=\D)/, '$1')

/** Rule 18. */
export function parseDateTime(text: string): Date | undefined {
  if (!dateTimePattern.test(text)) return undefined
  const time = Date.parse(text.toUpperCase())
  if (!(time >= 0 && time < endOfTimes)) return undefined
  const day = text.slice(0, 10)
  // Date.parse rolls 31 February over to March.
  const isRolled = Number(day.slice(8)) > 28 && !new Date(day).toISOString().startsWith(day)
  return isRolled ? undefined : new Date(time)
}

/** An epoch time in seconds or milliseconds, in the form that is read. */
function epochForm(text: string): string {
  if (!/^(\d{10}|\d{13})$/.test(text)) return ''
  return `; ${text} is ${new Date(Number(text.padEnd(13, '0'))).toISOString()}`
}

export const dateTime = (description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .transform((text, context) => {
          const time = parseDateTime(text)
          if (time) return time
          context.addIssue({ code: 'custom', message: error + epochForm(text) })
          return z.NEVER
        })
        .meta({ override: { type: 'string', format: 'date-time' } }),
    'an RFC 3339 date-time from 1970 to 2199, up to milliseconds, with Z or an offset (write + as %2B), such as 2026-01-31T00:00:00Z',
    description,
  )

/** Milliseconds. */
export const duration = (maxDays: number, description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .transform((text, context) => {
          const ms = parseDuration(text)
          if (ms !== undefined && ms >= minuteMs && ms <= maxDays * dayMs) return ms
          context.addIssue({ code: 'custom', message: error })
          return z.NEVER
        })
        .meta({ override: { type: 'string', pattern: durationPattern, examples: ['24h', '7d', 'PT90M'] } }),
    `a duration from 1m to ${maxDays}d in whole weeks, days, hours and minutes, such as 24h, 7d or PT90M`,
    description,
  )

export const flag = (description: string) => oneOf(['true', 'false'], description).meta({ examples: ['true'] })

const timeZonePattern = /^[A-Za-z][\w+/-]{0,63}$/

/** The canonical name; undefined for a name that IANA's database lacks, and for an offset. */
function parseTimeZone(text: string): string | undefined {
  if (!timeZonePattern.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

export const timeZone = (description: string) =>
  param(
    (error) =>
      z
        .string({ error })
        .transform((text, context) => {
          const name = parseTimeZone(text)
          if (name !== undefined) return name
          context.addIssue({ code: 'custom', message: error })
          return z.NEVER
        })
        .meta({ override: { type: 'string', examples: ['Europe/Berlin', 'Asia/Kolkata', 'UTC'] } }),
    'an IANA time zone (write + as %2B), such as Europe/Berlin or Asia/Kolkata',
    description,
  )

export const cursorText = param(
  (error) =>
    z
      .string({ error })
      .min(1, { error })
      .max(1024, { error })
      .regex(/^[\w-]*$/, { error }),
  'the nextCursor of the previous page, 1 to 1024 characters',
  'The previous page’s `nextCursor`; omit it for the first page',
)
