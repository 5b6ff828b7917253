import { z } from 'zod'
import { planNames } from '../../schema/plans.ts'
import type { PoolName, Query } from '../sql/query.ts'
import { rowTime } from '../sql/rows.ts'
import { type Sql, sql, text, uuid } from '../sql/sql.ts'
import { rowOverrides } from './tenants.ts'

const keyRow = z.object({
  keyId: z.string(),
  keyName: z.string(),
  prefix: z.string(),
  siteId: z.string().nullable(),
  origins: z.array(z.string()),
  createdAt: rowTime,
  expiresAt: rowTime,
  revoked: z.boolean(),
  tenantId: z.string(),
  tenantName: z.string(),
  plan: z.enum(planNames),
  overrides: rowOverrides,
  planVersions: z.array(
    z
      .tuple([z.number(), z.enum(planNames), rowOverrides])
      .transform(([since, plan, overrides]) => ({ since, plan, overrides })),
  ),
})

export type FoundKey = z.infer<typeof keyRow>

/** One row or none; the only query that runs before its tenant is known. The hash has 64 lower-case hex digits. */
export function findKey(keyHash: string, pool: PoolName): Query<FoundKey> {
  const hash = text(keyHash)
  // ClickHouse runs equal scalar subqueries once: 11.4 ms instead of 13.4 ms for sets.
  const tenantId = sql`(SELECT tenant_id FROM api_key_by_hash(key_hash = ${hash}))`
  return {
    name: 'findKey',
    statement: sql`
      SELECT k.id AS keyId, k.name AS keyName, k.prefix AS prefix, k.site_id AS siteId,
        k.origins AS origins, k.created_at AS createdAt, k.expires_at AS expiresAt, (k.revoked_at IS NOT NULL)::Bool AS revoked,
        t.id AS tenantId, t.name AS tenantName, toString(t.plan) AS plan, t.overrides AS overrides,
        (
          SELECT arraySort(groupArray((toFloat64(toUnixTimestamp64Milli(updated_at)), toString(plan), overrides)))
          FROM tenants_history
          WHERE tenant_id = ${tenantId}
        ) AS planVersions
      FROM api_key_by_hash(key_hash = ${hash}) AS k
      INNER JOIN (
        SELECT *
        FROM tenants FINAL
        WHERE id = ${tenantId}
      ) AS t ON t.id = k.tenant_id`,
    row: keyRow,
    pool,
    everyTenant: true,
  }
}

const listedKeyRow = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  siteId: z.string().nullable(),
  origins: z.array(z.string()),
  createdAt: rowTime,
  expiresAt: rowTime,
  revokedAt: rowTime.nullable(),
})

export type ListedKey = z.infer<typeof listedKeyRow>

const keysWhere = (condition: Sql): Query<ListedKey> => ({
  name: 'listKeys',
  statement: sql`
    SELECT id, name, prefix, site_id AS siteId, origins, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt
    FROM api_keys FINAL
    WHERE ${condition}
    ORDER BY createdAt, id`,
  row: listedKeyRow,
})

/** Oldest first, revoked and expired keys too. */
export const listKeys = (tenantId: string): Query<ListedKey> => keysWhere(sql`tenant_id = ${uuid(tenantId)}`)

export const findKeyById = (id: string): Query<ListedKey> => ({
  ...keysWhere(sql`id = ${uuid(id)}`),
  name: 'findKeyById',
})
