import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { at, sql, text, uuid as uuidParameter } from '../../../queries/sql/sql.ts'
import { findKeyById, listKeys } from '../../../queries/tenants/keys.ts'
import { dayMs, hourMs, minuteMs } from '../../../schema/durations.ts'
import { insertKey } from '../../api-keys/insert-key.ts'
import { hashKey, keyPrefix, makeKey } from '../../api-keys/key-format.ts'
import { webOrigin } from '../../config.ts'
import { insertNextRow } from '../../tenants/insert-next-row.ts'
import { option, repeatableOption } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { openTenant, requireSites } from '../command/require-tenant.ts'
import { name, siteOption, tenant, uuid } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { tenantList } from '../command/tenant-records.ts'

const latest = Date.parse('2299-12-31T00:00:00Z')

const expiresAt = option('--expires-at <TIME>', {
  about: 'Expiry time (default: in one year)',
  takes: 'a future time such as 2030-01-31T00:00:00Z, before the year 2300',
  schema: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((time) => time.getTime() > Date.now() && time.getTime() < latest),
})

const ownSite = siteOption('The only site that the key can read (default: every site of the tenant)')

const origin = repeatableOption('--origin <ORIGIN>', {
  about: 'Origin of pages that may use the key (default: any client)',
  takes: 'an origin such as https://dash.example.com, without a path',
  schema: webOrigin,
})

const id = option('--id <ID>', {
  about: 'The key',
  takes: 'the id of a key from "keys list", a UUID',
  schema: uuid,
}).makeOptionMandatory()

const unitMs = { m: minuteMs, h: hourMs, d: dayMs }

const overlap = option('--overlap <TIME>', {
  about: 'How long the old key keeps working (default: 7d)',
  takes: 'a whole number of minutes, hours or days such as 30m, 12h or 7d, up to 365d',
  schema: z
    .string()
    .regex(/^\d{1,6}[mhd]$/)
    .transform((text) => Number.parseInt(text, 10) * unitMs[text.slice(-1) as keyof typeof unitMs])
    .refine((milliseconds) => milliseconds <= 365 * dayMs),
})

const addList = tenantList({
  about: "Print a tenant's API keys, including revoked and expired ones, without the secrets",
  examples: ['keys list --tenant ID'],
  field: 'keys',
  list: (read, tenant) => read(listKeys(tenant)),
})

export function addKeys(program: Command, context: Context): void {
  const keys = subcommand(program, 'keys', { about: 'API keys of a tenant' })
  for (const add of [addCreate, addList, addRotate, addRevoke]) add(keys, context)
}

function addCreate(keys: Command, context: Context): void {
  subcommand(keys, 'create', {
    about: 'Create an API key for a tenant and print it; it is shown only once',
    notes: [
      'Only the SHA-256 of a key is stored. If you lose a key, revoke it and create another.',
      'Anyone who opens a page can read a key in it. Restrict such a key with --site, and with --origin so that browsers send it from',
      'your pages only (other programs can send any Origin). The API allows requests from pages of CORS_ORIGINS.',
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
      const { reader, writer } = await openTenant(context, tenant)
      await requireSites(reader, tenant, site)
      const createdAt = new Date()
      const expiresAt = given.expiresAt ?? oneYearAfter(createdAt)
      const id = randomUUID()
      const key = makeKey()
      const scope = { siteId: site, ...(origin && { origins: [...new Set(origin)] }) }
      await insertKey(writer, { id, tenantId: tenant, name, key, ...scope, createdAt, expiresAt })
      context.log(`Save the key: it is not shown again. It expires at ${expiresAt.toISOString()}`)
      context.finish({ id, key, prefix: keyPrefix(key) })
    })
}

function addRotate(keys: Command, context: Context): void {
  subcommand(keys, 'rotate', {
    about: 'Replace a key with a new one and print it; it is shown only once',
    notes: [
      'The new key has the name, site and origins of the old one. The old key works until the overlap ends or it expires,',
      'whichever is first.',
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
      if (found.revokedAt !== null) throw new Error(`The key ${oldId} is revoked: create another with "keys create"`)
      if (Date.parse(found.expiresAt) <= now.getTime()) {
        throw new Error(`The key ${oldId} expired at ${found.expiresAt}: create another with "keys create"`)
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
      context.log(`Save the key: it is not shown again. It expires at ${expiresAt.toISOString()}`)
      context.finish({ id, key, prefix: keyPrefix(key), old: { id: oldId, expiresAt: oldExpiresAt.toISOString() } })
    })
}

function addRevoke(keys: Command, context: Context): void {
  subcommand(keys, 'revoke', {
    about: 'Revoke an API key; this cannot be undone',
    notes: [
      'The API rejects the key within 5 seconds. For a key that is already revoked, the original time is printed.',
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
