import { z } from 'zod'
import type { Query } from '../sql/query.ts'
import { rowCount } from '../sql/rows.ts'
import { join, name, type Sql, sql, text, uuid } from '../sql/sql.ts'

const tableRow = z.object({ table: z.string(), ofSites: z.boolean() })

/** A table whose rows have a tenant, and of some a site too. */
export type OwnedTable = z.infer<typeof tableRow>

/** Tables with rows of tenants, from ClickHouse's catalogue, so that new tables are included. */
export const listOwnedTables: Query<OwnedTable> = {
  name: 'listOwnedTables',
  statement: sql`
    SELECT table, (table = 'sites' OR max(name = 'site_id'))::Bool AS ofSites
    FROM system.columns
    WHERE database = currentDatabase()
      AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
    GROUP BY table
    HAVING table = 'tenants' OR max(name = 'tenant_id')
    ORDER BY table`,
  row: tableRow,
}

/** A tenant's rows of such a table. */
export const ofTenant = (table: string, tenantId: string): Sql =>
  sql`${name(table === 'tenants' ? 'id' : 'tenant_id')} = ${uuid(tenantId)}`

/** Rows of a table. */
export interface OwnedRows {
  readonly table: string
  readonly where: Sql
}

const countRow = z.object({ table: z.string(), rows: rowCount })

/** Tables without such rows are omitted. */
export const countOwnedRows = (owned: readonly OwnedRows[]): Query<z.infer<typeof countRow>> => {
  const counts = owned.map(
    ({ table, where }) => sql`SELECT ${text(table)} AS table, count() AS rows FROM ${name(table)} WHERE ${where}`,
  )
  return {
    name: 'countOwnedRows',
    statement: sql`SELECT table, rows FROM (${join(counts, ' UNION ALL ')}) WHERE rows > 0`,
    row: countRow,
    pool: 'maintenance',
  }
}
