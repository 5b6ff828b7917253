/** @module Options and arguments that several commands have. */

import { z } from 'zod'
import { line } from '../../../schema/record-fields.ts'
import { argument, option } from './arguments.ts'

export const uuid = z.guid().transform((id) => id.toLowerCase())

const tenantId = { takes: 'the id of a tenant, a UUID', schema: uuid }

export const tenant = option('--tenant <ID>', { about: 'The tenant', ...tenantId }).makeOptionMandatory()

/** Optional if the command has `api`. */
export const tenantUnlessApi = option('--tenant <ID>', {
  about: 'The tenant; omit it with --api',
  ...tenantId,
}).makeOptionMandatory()

export const api = option('--api <URL>', {
  about: 'Read from this API with the key in API_KEY, instead of from the database',
  takes: 'a URL such as https://reports.example.com',
  schema: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
}).implies({ tenant: null })

export const siteOption = (about: string) =>
  option('--site <ID>', { about, takes: 'the id of a site of the tenant, a UUID', schema: uuid })

export const site = siteOption('The site').makeOptionMandatory()

export const anyTenant = option('--tenant <ID>', { about: 'Only this tenant (default: all)', ...tenantId })

export const byOption = (about: string) =>
  option('--by <EMAIL>', {
    about,
    takes: 'the e-mail address of a person, such as ada@example.com',
    schema: line(254).pipe(z.email()),
  })

export const by = byOption('Who decides').makeOptionMandatory()

export const whyOption = <const Flags extends `--${string} <TEXT>`>(flags: Flags, about: string) =>
  option(flags, {
    about,
    takes: '1 to 4000 characters',
    schema: z.string().trim().min(1).max(4_000),
  }).makeOptionMandatory()

const nameOption = () =>
  option('--name <NAME>', {
    about: 'Display name',
    takes: '1 to 200 printable characters',
    schema: z.string().regex(/^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u),
  })

export const name = nameOption().makeOptionMandatory()

export const newName = nameOption()

/** Throws if an update changes nothing. */
export function requireChange(changes: object, flags: readonly string[]): void {
  if (Object.values(changes).some((value) => value !== undefined)) return
  throw new Error(`Nothing to change: use one or more of ${flags.join(', ')}`)
}

export const siteOfLines = (fallback = '') => siteOption(`Site for lines without one${fallback}`)

export const file = argument('<FILE>', {
  about: 'NDJSON file',
  takes: 'the path of a file, or - to read stdin',
  schema: z.string().min(1),
})
