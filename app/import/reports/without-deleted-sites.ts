import type { Database } from '../../../queries/clickhouse/database.ts'
import { groupBy } from '../../../queries/rules/group-by.ts'
import { chunksOf } from '../../../queries/sql/chunks.ts'
import { findSites } from '../../../queries/tenants/find-sites.ts'
import type { LostPart } from '../../../queries/tenants/list-lost-parts.ts'

/** Ids in one statement, as they are part of its URL. */
const mostIds = 100

/** A report of a deleted site is gone for good. */
export async function withoutDeletedSites(
  database: Pick<Database, 'read'>,
  parts: readonly LostPart[],
): Promise<LostPart[]> {
  const found = new Set<string>()
  for (const [tenantId, ofTenant] of groupBy(parts, (part) => part.tenantId)) {
    for (const siteIds of chunksOf([...new Set(ofTenant.map(({ siteId }) => siteId))], mostIds)) {
      for (const { id } of await database.read(findSites(tenantId, siteIds))) {
        found.add(`${tenantId} ${id}`)
      }
    }
  }
  return parts.filter(({ tenantId, siteId }) => found.has(`${tenantId} ${siteId}`))
}
