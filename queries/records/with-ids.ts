/** @module Condition on imported records of one tenant, or on global ones. */

import { empty, name, type Sql, sql, texts, uuid } from '../sql/sql.ts'

/** A quarter of the longest request line that ClickHouse accepts. */
export const maxIdsPerQuery = 1_000

export interface RecordIds {
  /** Undefined for records of every tenant. */
  readonly tenantId: string | undefined
  readonly ids: readonly string[]
}

export function withIds(table: string, { tenantId, ids }: RecordIds): Sql {
  const ofTenant = tenantId === undefined ? empty : sql`tenant_id = ${uuid(tenantId)} AND `
  return sql`${ofTenant}toString(${name(table)}.id) IN (${texts(ids)})`
}
