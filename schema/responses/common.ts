import { z } from 'zod'
import { problemCodes, reservedCodes } from '../problems.ts'

export const count = z.int().min(0)

/** Rule 18. */
export const dateTimeText = z.iso.datetime({ precision: 3 })

export const readWindow = z.object({ from: dateTimeText, to: dateTimeText }).meta({ id: 'ReadWindow' })

/** Text a browser or a site's author wrote: show it as text, never as markup. */
export const untrusted = () => z.string()

/** Documented values; others may follow (Rule 11). */
export const openEnum = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

/** A null cursor ends the list. @param extra replaces `truncated` where it has another bound. */
export const listResponse = <Item extends z.ZodType, Extra extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  extra?: Extra,
) =>
  z.object({
    data: z.array(item),
    truncated: z.boolean().meta({ description: 'More follow than the first 10,000, which can be paged through.' }),
    ...(extra as Extra),
    nextCursor: z.string().nullable(),
  })

/** Rule 9. */
export const errorBody = z
  .object({
    error: z.object({
      code: openEnum([...problemCodes, ...reservedCodes]).meta({
        description: `Branch on this; treat an unknown code by its status. None is ${reservedCodes.join(' or ')} today.`,
      }),
      message: z.string().meta({ description: 'For people.' }),
      requestId: z.string().meta({ description: 'Quote it when you contact support.' }),
    }),
  })
  .meta({ id: 'Error' })
