import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/sql/query.ts'
import { findRetiredToken } from '../../queries/tenants/site-tokens.ts'
import { retiredTokenTtlMs } from '../../schema/durations.ts'
import { siteTokenPattern } from './site-address.ts'

const maxTokens = 50_000

/**
 * True for a former token of a site. A token is retired before its site loses it, so a cached false is wrong only for a
 * token sent before its creation. Rejects with Problem(upstream_unavailable).
 */
export function createRetiredTokens(read: Read) {
  const cache = new LRUCache<string, boolean>({
    max: maxTokens,
    ttl: retiredTokenTtlMs,
    fetchMethod: async (token) => (await read(findRetiredToken(hash('sha256', token)))).length > 0,
  })
  return async (token: string): Promise<boolean> => siteTokenPattern.test(token) && (await cache.fetch(token)) === true
}
