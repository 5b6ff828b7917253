/**
 * @module Fields of imported records. A refinement's message follows the field's name; other reasons come from the
 * schema.
 */

import { z } from 'zod'
import { dayMs } from './durations.ts'
import { filterable } from './filterable.ts'
import { parseDateTime, toMilliseconds } from './params.ts'

export const recordUuid = z.guid().toLowerCase()

/** An id of another system, or a name such as `csp.new_issue`, that a filter can match. */
export const recordWord = z
  .string()
  .min(1)
  .max(64)
  .refine((text) => filterable.test(text), { error: 'must be printable ASCII without the backslash' })

export const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => /^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u.test(text), {
      error: 'must be one line of text without control characters',
    })

export const maxClockSkewMs = dayMs

/** Rule 18; digits below a millisecond, which OSV writes, are dropped. */
export const moment = z
  .string()
  .transform((text, context) => {
    const time = parseDateTime(toMilliseconds(text))
    if (time && time.getTime() > Date.now() + maxClockSkewMs) {
      context.addIssue({ code: 'custom', message: 'must be at most one day in the future' })
      return z.NEVER
    }
    if (time) return time
    context.addIssue({ code: 'custom', message: 'must be a time from 1970 to 2199 such as 2026-01-31T12:00:00.000Z' })
    return z.NEVER
  })
  .meta({ format: 'date-time' })
