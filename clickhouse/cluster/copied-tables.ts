import { z } from 'zod'
import type { Database } from '../../queries/clickhouse/database.ts'
import type { Query } from '../../queries/sql/query.ts'
import { sql } from '../../queries/sql/sql.ts'
import { listOwnedTables } from '../../queries/tenants/owned-tables.ts'
import { viewTargets } from '../rollups/list-rollups.ts'
import { isWorkTable } from '../rollups/remove-reports.ts'

/** A table whose rows of a tenant are copied; the views of the copy's database fill the others. */
export interface CopiedTable {
  readonly table: string
  /** True if only one version of a row counts, so that copying it again changes nothing. */
  readonly isVersioned: boolean
  /** Views fill it too, so anything stored during the copy changes it. */
  readonly isFilled: boolean
}

const tableRow = z.object({ table: z.string(), isVersioned: z.boolean(), expires: z.boolean() })

const listMergeTrees: Query<z.infer<typeof tableRow>> = {
  name: 'listMergeTrees',
  statement: sql`
    SELECT name AS table, match(engine, 'Replacing|Aggregating')::Bool AS isVersioned,
      match(engine_full, ' TTL ')::Bool AS expires
    FROM system.tables
    WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`,
  row: tableRow,
}

/** A table that views fill is also copied if its rows outlive their source, which the TTL does not show. */
export async function listCopiedTables(database: Database): Promise<CopiedTable[]> {
  const [owned, tables, filled] = [
    await database.read(listOwnedTables),
    await database.read(listMergeTrees),
    await viewTargets(database),
  ]
  return tables
    .filter(({ table }) => owned.some((other) => other.table === table) && !isWorkTable(table))
    .filter(({ table, expires }) => !(filled.includes(table) && expires))
    .map(({ table, isVersioned }) => ({ table, isVersioned, isFilled: filled.includes(table) }))
}
