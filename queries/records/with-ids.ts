import { empty, name, type Sql, sql, texts, uuid } from '../sql/sql.ts'

/** Ids of one statement: they fill a quarter of what a server takes as one request's line. */
export const maxIdsPerQuery = 1_000

/** Whether a record of a table has one of some ids, at most `maxIdsPerQuery`; of a tenant, or of everyone where there is none. */
export function withIds(table: string, tenantId: string | undefined, ids: readonly string[]): Sql {
  const ofTenant = tenantId === undefined ? empty : sql`tenant_id = ${uuid(tenantId)} AND `
  return sql`${ofTenant}toString(${name(table)}.id) IN (${texts(ids)})`
}
