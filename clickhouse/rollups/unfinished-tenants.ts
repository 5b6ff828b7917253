import type { Database } from '../../queries/clickhouse/client.ts'
import { listUnfinishedImports } from '../../queries/tenants/list-unfinished-imports.ts'

/** The tenants of imports that run or were cut off, for people; '' where there is none. */
export async function unfinishedTenants(database: Database): Promise<string> {
  return (await database.read(listUnfinishedImports)).map(({ tenantId }) => tenantId).join(', ')
}
