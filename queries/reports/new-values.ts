/** @module Issues and versions of scripts that were ever stored, for the bound of new ones (Rule 82). */

import { z } from 'zod'
import { planNames } from '../../schema/plans.ts'
import { halfMd5s } from '../sql/matches.ts'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { at, name, type Sql, sql, uuids } from '../sql/sql.ts'

export type ValueKind = 'issue' | 'script'

interface Owners {
  readonly tenantIds: readonly string[]
  readonly siteIds: readonly string[]
}

const tables: Readonly<Record<ValueKind, string>> = { issue: 'issue_first_seen', script: 'script_versions' }

/** First half of the MD5 of the value's name. */
const keys: Readonly<Record<ValueKind, Sql>> = {
  issue: sql`issue_key`,
  script: sql`halfMD5(concat(toString(site_id), '\\n', script_url, '\\n', script_hash))`,
}

const ofOwners = ({ tenantIds, siteIds }: Owners) =>
  sql`tenant_id IN ${uuids(tenantIds)} AND site_id IN ${uuids(siteIds)}`

const keyRow = z.object({ key: z.string() })

/** Keys of those values that are stored, in decimal. */
export const listStoredValues = (
  kind: ValueKind,
  owners: Owners,
  names: readonly string[],
): Query<z.infer<typeof keyRow>> => ({
  name: 'listStoredValues',
  statement: sql`
    SELECT DISTINCT toString(${keys[kind]}) AS key
    FROM ${name(tables[kind])}
    WHERE ${ofOwners(owners)} AND ${keys[kind]} IN ${halfMd5s(names)}`,
  row: keyRow,
  pool: 'maintenance',
})

const countRow = z.object({ siteId: z.string(), day: rowCount, count: rowCount })

/** Values first seen since the start of a day, by days since 1970. */
export const countNewValues = (kind: ValueKind, owners: Owners, since: Date): Query<z.infer<typeof countRow>> => ({
  name: 'countNewValues',
  statement: sql`
    SELECT toString(site_id) AS siteId, toUInt32(toDate(first_at, 'UTC')) AS day, count() AS count
    FROM (
      SELECT site_id, ${keys[kind]} AS value_key, min(first_seen_at) AS first_at
      FROM ${name(tables[kind])}
      WHERE ${ofOwners(owners)}
      GROUP BY site_id, value_key
      HAVING first_at >= ${at(since)})
    GROUP BY siteId, day`,
  row: countRow,
  pool: 'maintenance',
})

const planRow = z.object({ tenantId: z.string(), plan: z.enum(planNames) })

export const listPlans = (tenantIds: readonly string[]): Query<z.infer<typeof planRow>> => ({
  name: 'listPlans',
  statement: sql`
    SELECT toString(id) AS tenantId, toString(plan) AS plan
    FROM tenants FINAL
    WHERE id IN ${uuids(tenantIds)}`,
  row: planRow,
  pool: 'maintenance',
})
