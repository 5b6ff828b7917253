/** @module Options of what a site stores of URLs (Rule 79). */

import { z } from 'zod'
import { type UrlMode, urlModes } from '../../../schema/enumerations.ts'
import { option, repeatableOption } from '../command/arguments.ts'

export const urls = option('--urls <MODE>', {
  about: "Parts of URLs to store, because URLs can contain visitors' secrets (new sites: names)",
  takes: 'names (queries without values), paths (no queries) or whole',
  schema: z.enum(urlModes),
})

export const keep = repeatableOption('--keep <NAME>', {
  about: 'Query parameter whose value is stored, with --urls names',
  takes: 'a name such as utm_source',
  schema: z
    .string()
    .regex(/^[!-~]{1,100}$/)
    .regex(/^[^&=#?]+$/),
})

export const urlNotes = [
  'The mode "names" stores /cart?token=9f3a as /cart?token=, "paths" as /cart. Both store "*" for a mail address, a JSON web token, and',
  'the segment after reset, verify, confirm, invite, token, magic or unsubscribe, and drop fragments. They apply to URLs of pages,',
  'referrers, requests and blocked resources, and to URLs in messages and stacks, not to scripts, styles, source files and samples.',
]

/** Throws for names in a mode without them. */
export function requireNames(urls: UrlMode | undefined, keep: readonly string[]): void {
  if (urls !== 'names' && keep.length > 0) throw new Error('--keep is only for --urls names')
}
