import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, join, sql, times, uuid, uuids } from '../sql/sql.ts'

/** Ids of the tenants' reports that were received within the times, both included. */
export function listStoredIds(tenantIds: readonly string[], from: Date, to: Date): Query<{ id: string }> {
  return {
    name: 'listStoredIds',
    statement: sql`
      SELECT toString(id) AS id
      FROM reports
      WHERE tenant_id IN ${uuids(tenantIds)} AND received_at >= ${at(from)} AND received_at <= ${at(to)}`,
    row: z.object({ id: z.string() }),
    pool: 'maintenance',
  }
}

/** Ids that the tenant's reports have, received within the times, both included. */
export function findStoredIds(tenantId: string, from: Date, to: Date, ids: readonly string[]): Query<{ id: string }> {
  return {
    name: 'findStoredIds',
    statement: sql`
      SELECT toString(r.id) AS id
      FROM reports AS r
      WHERE r.tenant_id = ${uuid(tenantId)} AND r.received_at >= ${at(from)} AND r.received_at <= ${at(to)}
        AND r.id IN ${uuids(ids)}`,
    row: z.object({ id: z.string() }),
    pool: 'maintenance',
  }
}

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
