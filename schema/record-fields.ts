import { z } from 'zod'
import { dayMs } from './durations.ts'
import { filterable, parseDateTime } from './params.ts'

/**
 * Members of the records that are imported and answered. A message of a refinement is read behind the member's name;
 * every other reason is made of the shape.
 */

/** An id in lower case, as the store answers it. */
export const recordUuid = z.guid().toLowerCase()

/** An id of another system, or a name such as `csp.new_issue`: whatever a filter can ask for. */
export const recordWord = z
  .string()
  .min(1)
  .max(64)
  .refine((text) => filterable.test(text), { error: 'must be of printable ASCII without the backslash' })

/** Text for people, on one line. */
export const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => /^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u.test(text), {
      error: 'must be one line of text without control characters',
    })

/** How far the clock that wrote a moment may be ahead of this one. */
const clockAhead = dayMs

/** When something was done, written as a parameter would write it (decisions, Windows): at most a day from now. */
export const moment = z
  .string()
  .transform((text, context) => {
    const time = parseDateTime(text)
    if (time && time.getTime() > Date.now() + clockAhead) {
      context.addIssue({ code: 'custom', message: 'must be no more than a day ahead of now' })
      return z.NEVER
    }
    if (time) return time
    context.addIssue({ code: 'custom', message: 'must be a time from 1970 to 2199 such as 2026-01-31T12:00:00.000Z' })
    return z.NEVER
  })
  .meta({ format: 'date-time' })
