import type { Database } from '../../queries/clickhouse/client.ts'
import { at, render, sql, uuid } from '../../queries/sql/sql.ts'
import { findKeyById } from '../../queries/tenants/list-keys.ts'
import { key } from './argument-shapes.ts'
import { command } from './command.ts'

/** `keys revoke` */
export const keysRevoke = command({
  about: 'Revoke an API key for good',
  arguments: { id: key },
  notes: [
    'The API refuses the key within 5 seconds. A key revoked before stays revoked from then on, and that time is printed.',
  ],
  examples: ['keys revoke --id ID'],
  async run(values, context) {
    const { reader, writer } = await context.engine()
    const [found] = await reader.read(findKeyById(values.id))
    if (!found) throw new Error(`There is no key ${values.id}`)
    if (found.revokedAt === null) await revoke(writer, values.id, new Date())
    const [revoked] = await reader.read(findKeyById(values.id))
    return { answer: { id: values.id, revokedAt: revoked?.revokedAt } }
  },
})

/** Adds a version of the key's row, later than any before it even where clocks differ. */
async function revoke(database: Database, id: string, when: Date): Promise<void> {
  const { text, params } = render(sql`INSERT INTO api_keys
    (key_hash, id, tenant_id, name, prefix, created_at, expires_at, revoked_at, updated_at)
    SELECT key_hash, id, tenant_id, name, prefix, created_at, expires_at, ${at(when)},
      greatest(now64(3), updated_at + toIntervalMillisecond(1))
    FROM api_keys FINAL WHERE id = ${uuid(id)} AND revoked_at IS NULL`)
  await database.command(text, { params })
}
