import { z } from 'zod'
import { destinationTypes } from '../../schema/alert-destination.ts'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { sql, uuid } from '../sql/sql.ts'

const row = z.object({
  tenantId: z.string(),
  id: z.string(),
  name: z.string(),
  type: z.enum(destinationTypes),
  /** See app/worker/alerts/deliver/seal.ts. */
  sealed: z.string(),
  createdAt: rowTime,
})

export type StoredDestination = z.infer<typeof row>

/** Oldest first, without removed ones. @param tenantId undefined for all tenants. */
export function listDestinations(tenantId?: string): Query<StoredDestination> {
  const ofTenant = tenantId === undefined ? sql`true` : sql`tenant_id = ${uuid(tenantId)}`
  return {
    name: 'listDestinations',
    statement: sql`
      SELECT tenant_id AS tenantId, id, name, type, sealed, created_at AS createdAt
      FROM alert_destinations FINAL
      WHERE ${ofTenant} AND NOT removed
      ORDER BY createdAt, id`,
    row,
  }
}
