import type { MiddlewareHandler } from 'hono'
import { LRUCache } from 'lru-cache'
import { findSites } from '../../queries/tenants/sites.ts'
import { keyTtlMs } from '../../schema/durations.ts'
import { Problem } from '../../schema/problems.ts'
import type { ApiEnv } from './request-context.ts'

/** A site that is read often costs one lookup in its lifetime. */
export const createSiteCache = (ttlMs: number = keyTtlMs) => new LRUCache<string, true>({ max: 50_000, ttl: ttlMs })

const noSuchSite = () => new Problem('not_found', 'There is no such site')

/** Throws not_found for a site of path or query that is not the tenant's, or not the key's; filters of sites name them too. */
export function requireSite(siteCache: ReturnType<typeof createSiteCache>): MiddlewareHandler<ApiEnv> {
  return async function requireSite(c, next) {
    const { tenant, siteId: ownSiteId } = c.get('caller')
    const query = c.get('query')
    const named = [c.get('path').siteId, query.siteId, query['siteId.any'], query['siteId.not']].flat()
    // The empty value is that of no site.
    const siteIds = [...new Set(named.filter((siteId): siteId is string => Boolean(siteId)))]
    if (ownSiteId !== null && siteIds.some((siteId) => siteId !== ownSiteId)) throw noSuchSite()
    const keyOf = (siteId: string) => `${tenant.id}/${siteId}`
    const unknown = siteIds.filter((siteId) => !siteCache.get(keyOf(siteId)))
    if (unknown.length > 0) {
      const start = performance.now()
      const found = await c.get('reader').read(findSites(tenant.id, unknown))
      for (const { id } of found) siteCache.set(keyOf(id), true, { start })
      if (found.length < unknown.length) throw noSuchSite()
    }
    await next()
  }
}
