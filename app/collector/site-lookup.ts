import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/sql/query.ts'
import { findSiteByToken } from '../../queries/tenants/find-site-by-token.ts'
import { entitlements } from '../../schema/plans.ts'
import { createHostLookup, sitesByPattern } from '../import/normalise/host-patterns.ts'
import { siteTokenPattern } from './site-address.ts'

export interface CollectorSite {
  readonly id: string
  readonly tenantId: string
  readonly retentionDays: number
  readonly sampleRates: Readonly<Record<string, number>>
  hasHost(host: string): boolean
}

/** A rotated token ends within this time. */
const ttlMs = 5_000
const maxTokens = 50_000

/** Sites by token, unknown tokens too; an expired site serves while ClickHouse does not. */
export function createSiteLookup(read: Read) {
  const cache = new LRUCache<string, { readonly site: CollectorSite | undefined }>({
    max: maxTokens,
    ttl: ttlMs,
    allowStaleOnFetchRejection: true,
    async fetchMethod(token) {
      const [found] = await read(findSiteByToken(token))
      if (!found) return { site: undefined }
      const { id, tenantId, hosts, sampleRates, plan, overrides } = found
      const lookup = createHostLookup(sitesByPattern([{ id, hosts }]))
      const { retentionDays } = entitlements(plan, overrides)
      const hasHost = (host: string) => lookup(host) !== undefined
      return { site: { id, tenantId, retentionDays, sampleRates, hasHost } }
    },
  })
  /** Rejects with Problem(upstream_unavailable) for a token that was never found. */
  return async (token: string): Promise<CollectorSite | undefined> =>
    siteTokenPattern.test(token) ? (await cache.fetch(token))?.site : undefined
}
