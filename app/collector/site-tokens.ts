import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/sql/query.ts'
import { findSiteToken, listSiteTokens } from '../../queries/tenants/list-site-tokens.ts'

const maxUnknownTokens = 50_000

/**
 * All sites' tokens in memory, read again at the first post after `ttlMs`. A token that is not among them is looked up
 * once, in a pool of its own: a new site works at once, and guesses do not take the reads that known sites need.
 */
export function createSiteTokens(read: Read, ttlMs: number) {
  let tokens = new Set<string>()
  let readAt = -Infinity
  let first: Promise<void> | undefined

  async function readAll(): Promise<void> {
    const rows = await read(listSiteTokens).catch(() => undefined)
    // During an outage the tokens stay.
    if (rows) tokens = new Set(rows.map(({ token }) => token))
  }

  function refresh(): Promise<void> {
    if (performance.now() - readAt < ttlMs) return first as Promise<void>
    readAt = performance.now()
    const reading = readAll()
    first ??= reading
    return first
  }

  const unknown = new LRUCache<string, { readonly exists: boolean }>({
    max: maxUnknownTokens,
    ttl: ttlMs,
    async fetchMethod(token) {
      const exists = (await read(findSiteToken(token))).length > 0
      if (exists) tokens.add(token)
      return { exists }
    },
  })
  return {
    /** Rejects with Problem(upstream_unavailable) where an unknown token cannot be looked up. */
    async has(token: string): Promise<boolean> {
      await refresh()
      return tokens.has(token) || ((await unknown.fetch(token))?.exists ?? false)
    },
  }
}
