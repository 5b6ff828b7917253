import { z } from 'zod'
import { argument, option } from './arguments.ts'

/** An id, in the form of the database. */
export const uuid = z.guid().transform((id) => id.toLowerCase())

const tenantId = { takes: 'the id of a tenant, a UUID', schema: uuid }

/** The tenant of a command. */
export const tenant = option('--tenant <ID>', { about: 'The tenant', ...tenantId }).makeOptionMandatory()

/** The tenant that narrows a command. */
export const anyTenant = option('--tenant <ID>', { about: 'Only this tenant (default: all)', ...tenantId })

/** A name for people. */
export const name = option('--name <NAME>', {
  about: 'Name, for people',
  takes: '1 to 200 printable characters',
  schema: z.string().regex(/^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u),
}).makeOptionMandatory()

/** The site of lines without one. */
export const siteOfLines = (fallback = '') =>
  option('--site <ID>', {
    about: `The site of lines that name none${fallback}`,
    takes: 'the id of a site of the tenant, a UUID',
    schema: uuid,
  })

/** The file that an import reads. */
export const file = argument('<FILE>', {
  about: 'NDJSON file',
  takes: 'the path of a file, or - to read stdin',
  schema: z.string().min(1),
})
