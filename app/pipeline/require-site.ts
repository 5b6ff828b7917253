import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/query.ts'
import { findSite } from '../../queries/tenants/find-site.ts'
import { Problem } from '../../schema/problems.ts'

/** Sites are never deleted, so a site once found stays found. */
const cachedSites = 50_000

/** Throws not_found for a site that is not the tenant's (contract, convention 7). */
export type SiteCheck = (read: Read, tenantId: string, siteId: string) => Promise<void>

/** One check for all operations, which remembers the sites it has found. */
export function createSiteCheck(): SiteCheck {
  const owned = new LRUCache<string, true>({ max: cachedSites })
  return async function ownSite(read, tenantId, siteId) {
    const entry = `${tenantId}/${siteId}`
    if (owned.get(entry)) return
    const [site] = await read(findSite(tenantId, siteId))
    if (!site) throw new Problem('not_found', 'There is no such site')
    owned.set(entry, true)
  }
}
