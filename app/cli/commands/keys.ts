import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { at, sql, text, uuid as uuidParameter } from '../../../queries/sql/sql.ts'
import { findKeyById, listKeys } from '../../../queries/tenants/list-keys.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { insertKey } from '../../api-keys/insert-key.ts'
import { hashKey, keyPrefix, makeKey } from '../../api-keys/key-format.ts'
import { webOrigin } from '../../config.ts'
import { insertNextRow } from '../../tenants/insert-next-row.ts'
import { option, repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requireSites, requireTenant } from '../command/require-tenant.ts'
import { name, siteOption, tenant, uuid } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const latest = Date.parse('2299-12-31T00:00:00Z')

const expiresAt = option('--expires-at <TIME>', {
  about: 'From when the key is refused (default: in one year)',
  takes: 'a time ahead such as 2030-01-31T00:00:00Z, before the year 2300',
  schema: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((time) => time.getTime() > Date.now() && time.getTime() < latest),
})

const ownSite = siteOption('The one site that the key reads (default: every site of the tenant)')

const origin = repeatableOption('--origin <ORIGIN>', {
  about: 'Origin of the pages that may send the key (default: any sender)',
  takes: 'an origin such as https://dash.example.com, without a path',
  schema: webOrigin,
})

const id = option('--id <ID>', {
  about: 'The key',
  takes: 'the id of a key, a UUID, as "keys list" shows it',
  schema: uuid,
}).makeOptionMandatory()

const unitMs = { m: minuteMs, h: hourMs, d: dayMs }

const overlap = option('--overlap <TIME>', {
  about: 'Time for which the old key still works (default: 7d)',
  takes: 'a whole number of minutes, hours or days such as 30m, 12h or 7d, up to 365d',
  schema: z
    .string()
    .regex(/^\d{1,6}[mhd]$/)
    .transform((text) => Number.parseInt(text, 10) * unitMs[text.slice(-1) as keyof typeof unitMs])
    .refine((milliseconds) => milliseconds <= 365 * dayMs),
})

export function addKeys(program: Command, context: Context): void {
  const keys = subcommand(program, 'keys', { about: 'API keys of a tenant' })

  subcommand(keys, 'create', {
    about: 'Make an API key of a tenant and print it, the only time it is seen',
    notes: [
      'Only the SHA-256 of a key is stored: a key that is lost is revoked and another one made.',
      'A key in a page is read by anyone who reads the page: give it --site, and --origin so that only browsers on your pages send it',
      '(a program can send any Origin). The API answers pages of the origins in CORS_ORIGINS.',
    ],
    examples: [
      'keys create --tenant ID --name dashboard',
      'keys create --tenant ID --name wallboard --site ID --origin https://dash.example.com',
      'keys create --tenant ID --name audit --expires-at 2030-01-31T00:00:00Z',
    ],
  })
    .addOption(tenant)
    .addOption(name)
    .addOption(ownSite)
    .addOption(origin)
    .addOption(expiresAt)
    .action(async ({ tenant, name, site, origin, ...given }) => {
      const { reader, writer } = await context.database()
      await requireTenant(reader, tenant)
      await requireSites(reader, tenant, site)
      const createdAt = new Date()
      const expiresAt = given.expiresAt ?? oneYearAfter(createdAt)
      const id = randomUUID()
      const key = makeKey()
      const scope = { siteId: site, ...(origin && { origins: [...new Set(origin)] }) }
      await insertKey(writer, { id, tenantId: tenant, name, key, ...scope, createdAt, expiresAt })
      context.log(`Keep the key: it is not shown again. It expires at ${expiresAt.toISOString()}`)
      context.finish({ id, key, prefix: keyPrefix(key) })
    })

  subcommand(keys, 'list', {
    about: "Print a tenant's API keys, revoked and expired ones too; never the keys themselves",
    examples: ['keys list --tenant ID'],
  })
    .addOption(tenant)
    .action(async ({ tenant }) => {
      const { reader } = await context.database()
      await requireTenant(reader, tenant)
      context.finish({ keys: await reader.read(listKeys(tenant)) })
    })

  subcommand(keys, 'rotate', {
    about: 'Make the key that replaces another and print it, the only time it is seen',
    notes: [
      'The new key has the name, site and origins of the old one, which is refused from the end of the overlap on, or from its',
      'own expiry where that comes first.',
    ],
    examples: [
      'keys rotate --id ID --overlap 7d',
      'keys rotate --id ID --overlap 0m --expires-at 2030-01-31T00:00:00Z',
    ],
  })
    .addOption(id)
    .addOption(overlap)
    .addOption(expiresAt)
    .action(async ({ id: oldId, overlap = 7 * dayMs, ...given }) => {
      const { reader, writer } = await context.database()
      const [found] = await reader.read(findKeyById(oldId))
      if (!found) throw new Error(`There is no key ${oldId}`)
      const now = new Date()
      if (found.revokedAt !== null) throw new Error(`The key ${oldId} is revoked: make another with "keys create"`)
      if (Date.parse(found.expiresAt) <= now.getTime()) {
        throw new Error(`The key ${oldId} expired at ${found.expiresAt}: make another with "keys create"`)
      }
      const expiresAt = given.expiresAt ?? oneYearAfter(now)
      const [id, key] = [randomUUID(), makeKey()]
      const isOld = sql`id = ${uuidParameter(oldId)} AND revoked_at IS NULL`
      await insertNextRow(writer, 'api_keys', isOld, {
        key_hash: text(hashKey(key)),
        id: uuidParameter(id),
        prefix: text(keyPrefix(key)),
        created_at: at(now),
        expires_at: at(expiresAt),
      })
      const oldExpiresAt = new Date(Math.min(Date.parse(found.expiresAt), now.getTime() + overlap))
      await insertNextRow(writer, 'api_keys', isOld, { expires_at: at(oldExpiresAt) })
      context.log(`Keep the key: it is not shown again. It expires at ${expiresAt.toISOString()}`)
      context.finish({ id, key, prefix: keyPrefix(key), old: { id: oldId, expiresAt: oldExpiresAt.toISOString() } })
    })

  subcommand(keys, 'revoke', {
    about: 'Revoke an API key for good',
    notes: [
      'The API refuses the key within 5 seconds. A key revoked before stays revoked from then on, and that time is printed.',
    ],
    examples: ['keys revoke --id ID'],
  })
    .addOption(id)
    .action(async ({ id }) => {
      const { reader, writer } = await context.database()
      const [found] = await reader.read(findKeyById(id))
      if (!found) throw new Error(`There is no key ${id}`)
      if (found.revokedAt === null) {
        const revokedAt = at(new Date())
        await insertNextRow(writer, 'api_keys', sql`id = ${uuidParameter(id)} AND revoked_at IS NULL`, {
          revoked_at: revokedAt,
        })
      }
      const [revoked] = await reader.read(findKeyById(id))
      context.finish({ id, revokedAt: revoked?.revokedAt })
    })
}

function oneYearAfter(time: Date): Date {
  const later = new Date(time)
  later.setUTCFullYear(later.getUTCFullYear() + 1)
  return later
}
