import type { MiddlewareHandler } from 'hono'
import { LRUCache } from 'lru-cache'
import { findSite } from '../../queries/tenants/find-site.ts'
import { keyTtlMs } from '../../schema/durations.ts'
import { Problem } from '../../schema/problems.ts'
import type { ApiEnv } from './request-context.ts'

/** A site that is read often costs one lookup in its lifetime. */
export const createSiteCache = (ttlMs: number = keyTtlMs) => new LRUCache<string, true>({ max: 50_000, ttl: ttlMs })

const noSuchSite = () => new Problem('not_found', 'There is no such site')

/** Throws not_found for a site of path or query that is not the tenant's, or not the key's. */
export function requireSite(siteCache: ReturnType<typeof createSiteCache>): MiddlewareHandler<ApiEnv> {
  return async function requireSite(c, next) {
    const { tenant, siteId: ownSiteId } = c.get('caller')
    for (const siteId of [c.get('path').siteId, c.get('query').siteId]) {
      const key = `${tenant.id}/${siteId}`
      if (!siteId) continue
      if (ownSiteId !== null && siteId !== ownSiteId) throw noSuchSite()
      if (siteCache.get(key)) continue
      const start = performance.now()
      const [site] = await c.get('reader').read(findSite(tenant.id, siteId))
      if (!site) throw noSuchSite()
      siteCache.set(key, true, { start })
    }
    await next()
  }
}
