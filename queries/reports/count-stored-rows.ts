import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { join, sql, times, uuid, uuids } from '../sql/sql.ts'

const row = z.object({ rows: rowCount })

/** Primary key of a row of `reports`. */
export interface StoredRowKey {
  readonly tenantId: string
  readonly receivedAt: number
  readonly id: string
}

/** The maintenance pool has minutes: a read of a few granules. */
export function countStoredRows(keys: readonly StoredRowKey[]): Query<z.infer<typeof row>> {
  const tenants = [...new Set(keys.map(({ tenantId }) => tenantId))].map((tenantId) => sql`${uuid(tenantId)}`)
  return {
    name: 'countStoredRows',
    statement: sql`
      SELECT count() AS rows
      FROM reports
      WHERE tenant_id IN (${join(tenants, ', ')})
        AND received_at IN ${times(keys.map(({ receivedAt }) => new Date(receivedAt)))}
        AND id IN ${uuids(keys.map(({ id }) => id))}`,
    row,
    pool: 'maintenance',
  }
}
