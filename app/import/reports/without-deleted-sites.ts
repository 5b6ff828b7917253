import type { Database } from '../../../queries/clickhouse/database.ts'
import { chunksOf } from '../../../queries/sql/rows.ts'
import { findSites } from '../../../queries/tenants/sites.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'

interface OfSite {
  readonly tenantId: string
  readonly siteId: string
}

/** Ids per statement; they are part of its URL. */
const mostIds = 100

/** A report of a deleted site is gone for good. */
export async function withoutDeletedSites<Item extends OfSite>(
  database: Pick<Database, 'read'>,
  items: readonly Item[],
  signal?: AbortSignal,
): Promise<Item[]> {
  const found = new Set<string>()
  for (const [tenantId, ofTenant] of groupBy(items, (item) => item.tenantId)) {
    for (const siteIds of chunksOf([...new Set(ofTenant.map(({ siteId }) => siteId))], mostIds)) {
      for (const { id } of await database.read(findSites(tenantId, siteIds), { signal })) {
        found.add(`${tenantId} ${id}`)
      }
    }
  }
  return items.filter(({ tenantId, siteId }) => found.has(`${tenantId} ${siteId}`))
}
