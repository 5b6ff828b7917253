import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import type { Database } from '../../../queries/clickhouse/client.ts'
import { at, render, sql, uuid as uuidParameter } from '../../../queries/sql/sql.ts'
import { findKeyById, listKeys } from '../../../queries/tenants/list-keys.ts'
import { insertKey } from '../../api-keys/insert-key.ts'
import { keyPrefix, makeKey } from '../../api-keys/key-format.ts'
import { webOrigin } from '../../config.ts'
import { option, repeatableOption } from '../arguments.ts'
import type { Context } from '../context.ts'
import { requireSites, requireTenant } from '../require-tenant.ts'
import { name, tenant, uuid } from '../shared-arguments.ts'
import { subcommand } from '../subcommand.ts'

const latest = Date.parse('2299-12-31T00:00:00Z')

const expiresAt = option('--expires-at <TIME>', {
  about: 'From when the key is refused (default: in one year)',
  takes: 'a time ahead such as 2030-01-31T00:00:00Z, before the year 2300',
  schema: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((time) => time.getTime() > Date.now() && time.getTime() < latest),
})

const ownSite = option('--site <ID>', {
  about: 'The one site that the key reads (default: every site of the tenant)',
  takes: 'the id of a site of the tenant, a UUID',
  schema: uuid,
})

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
      if (found.revokedAt === null) await revoke(writer, id, new Date())
      const [revoked] = await reader.read(findKeyById(id))
      context.finish({ id, revokedAt: revoked?.revokedAt })
    })
}

function oneYearAfter(time: Date): Date {
  const later = new Date(time)
  later.setUTCFullYear(later.getUTCFullYear() + 1)
  return later
}

/** Inserts the key's next row, later than any before even where clocks differ. */
async function revoke(database: Database, id: string, when: Date): Promise<void> {
  const { text, params } = render(sql`
    INSERT INTO api_keys
      (key_hash, id, tenant_id, name, prefix, site_id, origins, created_at, expires_at, revoked_at, updated_at)
    SELECT
      key_hash, id, tenant_id, name, prefix, site_id, origins, created_at, expires_at, ${at(when)},
      greatest(now64(3), updated_at + toIntervalMillisecond(1))
    FROM api_keys FINAL
    WHERE id = ${uuidParameter(id)} AND revoked_at IS NULL`)
  await database.command(text, { params })
}
