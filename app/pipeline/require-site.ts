import type { MiddlewareHandler } from 'hono'
import { LRUCache } from 'lru-cache'
import { findSite } from '../../queries/tenants/find-site.ts'
import { Problem } from '../../schema/problems.ts'
import type { ApiEnv } from './request-context.ts'

/** Sites are never deleted, so a tenant's site needs one lookup in the life of the process. */
export const createSiteCache = () => new LRUCache<string, true>({ max: 50_000 })

/** Throws not_found for a site of path or query that is not the tenant's. */
export function requireSite(siteCache: ReturnType<typeof createSiteCache>): MiddlewareHandler<ApiEnv> {
  return async function requireSite(c, next) {
    const tenantId = c.get('caller').tenant.id
    for (const siteId of [c.get('path').siteId, c.get('query').siteId]) {
      const key = `${tenantId}/${siteId}`
      if (!siteId || siteCache.get(key)) continue
      const [site] = await c.get('read')(findSite(tenantId, siteId))
      if (!site) throw new Problem('not_found', 'There is no such site')
      siteCache.set(key, true)
    }
    await next()
  }
}
