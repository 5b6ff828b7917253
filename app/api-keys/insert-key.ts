import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { toClickHouseTime } from '../../queries/sql/sql.ts'
import { hashKey, keyPrefix } from './key-format.ts'

export interface StoredKey {
  readonly id: string
  readonly tenantId: string
  readonly name: string
  /** Only its hash and its prefix are stored. */
  readonly key: string
  /** The one site that it reads; every site of the tenant without it. */
  readonly siteId?: string | undefined
  /** Origins of pages that may use the key; without it any client may. */
  readonly origins?: readonly string[]
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The same key again replaces itself. */
export async function insertKey(database: Database, stored: StoredKey): Promise<void> {
  const row = {
    key_hash: hashKey(stored.key),
    id: stored.id,
    tenant_id: stored.tenantId,
    name: stored.name,
    prefix: keyPrefix(stored.key),
    site_id: stored.siteId ?? null,
    origins: stored.origins ?? [],
    created_at: toClickHouseTime(stored.createdAt),
    expires_at: toClickHouseTime(stored.expiresAt),
  }
  await insertRows(database, 'api_keys', [row])
}
