import { z } from 'zod'
import { type PlanOverrides, planNames, planOverrides } from '../../schema/plans.ts'
import { normalisePattern } from '../import/host-patterns.ts'
import type { Argument } from './command.ts'

const uuid = z.guid().transform((id) => id.toLowerCase())

/** The flag of a tenant that must exist. */
export const tenant: Argument<string> = {
  shape: uuid,
  hint: 'ID',
  about: 'The tenant',
  takes: 'the id of a tenant, a UUID',
}

/** A tenant to narrow a command down to. */
export const anyTenant: Argument<string | undefined> = {
  ...tenant,
  shape: uuid.optional(),
  about: 'Only this tenant (default: all)',
}

/** A site of the tenant. */
export const site: Argument<string | undefined> = {
  shape: uuid.optional(),
  hint: 'ID',
  about: "The site of lines that name none (default: the site that has the host of the report's URL)",
  takes: 'the id of a site of the tenant, a UUID',
}

/** A key to change. */
export const key: Argument<string> = {
  shape: uuid,
  hint: 'ID',
  about: 'The key',
  takes: 'the id of a key, a UUID, as "keys list" shows it',
}

/** A name for people. */
export const name: Argument<string> = {
  shape: z.string().regex(/^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u),
  hint: 'NAME',
  about: 'Name, for people',
  takes: '1 to 200 printable characters',
}

/** A row of the plan table. */
export const plan: Argument<(typeof planNames)[number]> = {
  shape: z.enum(planNames),
  hint: 'PLAN',
  about: 'The plan',
  takes: `one of ${planNames.join(', ')}`,
}

/** A cell of the plan table that the tenant's contract changes, within the cell's own bounds. */
export function overrideOf(
  cell: Exclude<keyof PlanOverrides, 'capabilities'>,
  about: string,
): Argument<number | undefined> {
  const bounds = planOverrides.shape[cell].unwrap()
  return {
    shape: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number)
      .pipe(bounds)
      .optional(),
    hint: 'N',
    about: `${about} (default: the plan's)`,
    takes: `a whole number from ${bounds.minValue} to ${bounds.maxValue}`,
  }
}

const hostPattern = /^(\*\.)?([^\s/?#@\\*:[\]]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i
const hostName = /^(\*\.)?((?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*|\[[0-9a-f:.]+\])$/

const host = z.string().regex(hostPattern).transform(normalisePattern).pipe(z.string().max(253).regex(hostName))

/** Host names whose reports are a site's, as URLs write them: lower case, ASCII, no port. */
export const hosts: Argument<string[]> = {
  shape: z
    .array(host)
    .min(1)
    .transform((all) => [...new Set(all)]),
  hint: 'HOST',
  about: "Host of the site's pages",
  takes: 'a host name such as www.example.com, or *.example.com for every subdomain',
  kind: 'repeated',
}

const farthest = Date.parse('2299-12-31T00:00:00Z')

/** A moment ahead. */
export const expiresAt: Argument<Date | undefined> = {
  shape: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((time) => time.getTime() > Date.now() && time.getTime() < farthest)
    .optional(),
  hint: 'TIME',
  about: 'From when the key is refused (default: in one year)',
  takes: 'a time ahead such as 2030-01-31T00:00:00Z, before the year 2300',
}
