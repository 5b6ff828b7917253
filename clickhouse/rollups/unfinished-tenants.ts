import type { Database } from '../../queries/clickhouse/database.ts'
import { listUnfinishedImports } from '../../queries/tenants/imports.ts'

/** Tenants with a running or interrupted import. */
export async function unfinishedTenants(database: Database): Promise<string[]> {
  return (await database.read(listUnfinishedImports)).map(({ tenantId }) => tenantId)
}
