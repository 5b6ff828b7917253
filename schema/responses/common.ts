import { z } from 'zod'
import { problemCodes, reservedCodes } from '../problems.ts'

export const count = z.int().min(0)

/** Rule 18. */
export const dateTimeText = z.iso.datetime({ precision: 3 })

export const readWindow = z.object({ from: dateTimeText, to: dateTimeText }).meta({ id: 'ReadWindow' })

/** Text from a browser or a site's author: show it as text, never as markup. */
export const untrusted = () => z.string()

/** Documented values; others may follow (Rule 11). */
export const openEnum = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

/** A null cursor ends the list. @param extra replaces `truncated` if it has another bound. */
export const listResponse = <Item extends z.ZodType, Extra extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  extra?: Extra,
) =>
  z.object({
    data: z.array(item),
    truncated: z
      .boolean()
      .meta({ description: 'True if there are more items. Only the first 10,000 items can be paged.' }),
    ...(extra as Extra),
    nextCursor: z.string().nullable(),
  })

/** Rule 9. */
export const errorBody = z
  .object({
    error: z.object({
      code: openEnum([...problemCodes, ...reservedCodes]).meta({
        description: `Use this to distinguish errors; handle an unknown code by its status. ${reservedCodes.map((code) => `${code} is reserved`).join('; ')}.`,
      }),
      message: z.string().meta({ description: 'For people.' }),
      requestId: z.string().meta({ description: 'Include it when you contact support.' }),
    }),
  })
  .meta({ id: 'Error' })
