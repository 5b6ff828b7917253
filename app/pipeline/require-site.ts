import type { MiddlewareHandler } from 'hono'
import { LRUCache } from 'lru-cache'
import { findSite } from '../../queries/tenants/find-site.ts'
import { Problem } from '../../schema/problems.ts'
import type { ApiEnv } from './request-context.ts'

/** Sites are never deleted, so a site once found needs no second lookup. */
const maxSites = 50_000

/** Throws not_found for a site of path or query that is not the tenant's (contract, convention 7). */
export function requireSite(): MiddlewareHandler<ApiEnv> {
  const ownedSites = new LRUCache<string, true>({ max: maxSites })
  return async function requireSite(c, next) {
    const tenantId = c.get('caller').tenant.id
    for (const siteId of [c.get('path').siteId, c.get('query').siteId]) {
      const owned = `${tenantId}/${siteId}`
      if (!siteId || ownedSites.get(owned)) continue
      const [site] = await c.get('read')(findSite(tenantId, siteId))
      if (!site) throw new Problem('not_found', 'There is no such site')
      ownedSites.set(owned, true)
    }
    await next()
  }
}
