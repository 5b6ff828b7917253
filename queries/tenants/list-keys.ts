import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { type Sql, sql, uuid } from '../sql/sql.ts'

const row = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  siteId: z.string().nullable(),
  origins: z.array(z.string()),
  createdAt: rowTime,
  expiresAt: rowTime,
  revokedAt: rowTime.nullable(),
})

export type ListedKey = z.infer<typeof row>

const keysWhere = (condition: Sql): Query<ListedKey> => ({
  name: 'listKeys',
  statement: sql`
    SELECT id, name, prefix, site_id AS siteId, origins, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt
    FROM api_keys FINAL
    WHERE ${condition}
    ORDER BY createdAt, id`,
  row,
})

/** Oldest first, revoked and expired keys too. */
export const listKeys = (tenantId: string): Query<ListedKey> => keysWhere(sql`tenant_id = ${uuid(tenantId)}`)

export const findKeyById = (id: string): Query<ListedKey> => ({
  ...keysWhere(sql`id = ${uuid(id)}`),
  name: 'findKeyById',
})
