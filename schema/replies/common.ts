import { z } from 'zod'

/** A whole, non-negative number of things. */
export const count = z.int().min(0)

/** UTC with `Z` and milliseconds (decisions, Windows). */
export const dateTimeText = z.iso.datetime({ precision: 3 })

/** Text a browser or a site's author wrote: show it as text, never as markup. */
export const untrusted = () => z.string()

/** An enumeration that clients must read as open: the known values are documented, others may follow. */
export const openEnum = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

/** The one error body (contract, Errors). */
export const errorBody = z
  .object({ error: z.object({ code: z.string(), message: z.string(), requestId: z.string() }) })
  .meta({ id: 'Error' })
