import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/sql/query.ts'
import { type FoundSite, findSiteByToken } from '../../queries/tenants/find-site-by-token.ts'
import { siteTtlMs } from '../../schema/durations.ts'
import { entitlements } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { createHostLookup, sitesByPattern } from '../import/normalise/host-patterns.ts'
import { siteTokenPattern } from './site-address.ts'
import { createSiteTokens } from './site-tokens.ts'

export interface CollectorSite {
  readonly id: string
  readonly tenantId: string
  readonly retentionDays: number
  readonly sampleRates: Readonly<Record<string, number>>
  hasHost(host: string): boolean
}

const maxSites = 50_000

/** Sites by token; an expired site serves while ClickHouse does not. */
export function createSiteLookup(read: Read, { ttlMs = siteTtlMs }: { readonly ttlMs?: number | undefined } = {}) {
  const tokens = createSiteTokens(read, ttlMs)
  const cache = new LRUCache<string, { readonly site: CollectorSite | undefined }>({
    max: maxSites,
    ttl: ttlMs,
    // With `allowStaleOnFetchRejection` a failed lookup of a new token would be an unknown token.
    async fetchMethod(token, expired) {
      try {
        return { site: toSite(await read(findSiteByToken(token))) }
      } catch (error) {
        if (expired && error instanceof Problem) return expired
        throw error
      }
    },
  })
  /** Rejects with Problem(upstream_unavailable) for a token that was never looked up. */
  return async (token: string): Promise<CollectorSite | undefined> => {
    if (!siteTokenPattern.test(token)) return undefined
    // A guess evicts no site.
    if (!cache.has(token) && !(await tokens.has(token))) return undefined
    return (await cache.fetch(token))?.site
  }
}

function toSite([found]: readonly FoundSite[]): CollectorSite | undefined {
  if (!found) return undefined
  const { id, tenantId, hosts, sampleRates, plan, overrides } = found
  const lookup = createHostLookup(sitesByPattern([{ id, hosts }]))
  const { retentionDays } = entitlements(plan, overrides)
  return { id, tenantId, retentionDays, sampleRates, hasHost: (host) => lookup(host) !== undefined }
}
