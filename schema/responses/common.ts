import { z } from 'zod'
import { problemCodes, reservedCodes } from '../problems.ts'

/** A whole, non-negative number of things. */
export const count = z.int().min(0)

/** UTC with `Z` and milliseconds (decisions, Windows). */
export const dateTimeText = z.iso.datetime({ precision: 3 })

/** Text a browser or a site's author wrote: show it as text, never as markup. */
export const untrusted = () => z.string()

/** An enumeration that clients must read as open: the known values are documented, others may follow. */
export const openEnum = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

/** A page of a list: its items, what else is told of the list, and the next page's cursor; null ends the list. */
export const listResponse = <Item extends z.ZodType, Extra extends z.ZodRawShape = Record<never, never>>(
  item: Item,
  extra?: Extra,
) => z.object({ data: z.array(item), ...(extra as Extra), nextCursor: z.string().nullable() })

/** The one error body (contract, Errors). */
export const errorBody = z
  .object({
    error: z.object({
      code: openEnum([...problemCodes, ...reservedCodes]).meta({
        description: `Branch on this; treat an unknown code by its status. None is ${reservedCodes.join(' or ')} today.`,
      }),
      message: z.string().meta({ description: 'For people.' }),
      requestId: z.string().meta({ description: 'Quote it when you ask for help.' }),
    }),
  })
  .meta({ id: 'Error' })
