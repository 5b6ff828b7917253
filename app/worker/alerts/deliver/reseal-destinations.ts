import { listDestinations, type StoredDestination } from '../../../../queries/alerts/rules.ts'
import type { Database } from '../../../../queries/clickhouse/database.ts'
import { sql, text, uuid } from '../../../../queries/sql/sql.ts'
import { insertNextRow } from '../../../tenants/insert-next-row.ts'
import { open, seal } from './seal.ts'

/**
 * Encrypts addresses with the first key that older keys encrypted, so that those can be removed from SECRETS_KEY.
 * Throws if there is no key.
 * @returns destinations whose address no key decrypts, and whether there are older keys to remove.
 */
export async function resealDestinations(
  database: Pick<Database, 'read' | 'command'>,
  secretsKeys: () => readonly Buffer[],
): Promise<{ readonly closed: readonly StoredDestination[]; readonly isRotated: boolean }> {
  const destinations = await database.read(listDestinations())
  if (destinations.length === 0) return { closed: [], isRotated: false }
  const keys = secretsKeys()
  const [first, ...older] = keys
  if (!first) return { closed: destinations, isRotated: false }
  const closed: StoredDestination[] = []
  for (const destination of destinations) {
    const { tenantId, id, sealed } = destination
    const owner = { tenantId, destinationId: id }
    if (open(sealed, [first], owner) !== undefined) continue
    const opened = open(sealed, older, owner)
    if (opened === undefined) {
      closed.push(destination)
      continue
    }
    const isDestination = sql`tenant_id = ${uuid(tenantId)} AND id = ${text(id)} AND NOT removed`
    await insertNextRow(database, 'alert_destinations', isDestination, { sealed: text(seal(opened, keys, owner)) })
  }
  return { closed, isRotated: older.length > 0 && closed.length === 0 }
}
