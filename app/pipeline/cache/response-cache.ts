import { LRUCache } from 'lru-cache'
import type { Read } from '../../../queries/sql/query.ts'
import { minuteMs } from '../../../schema/durations.ts'
import type { Representation } from '../conditional-response.ts'
import { createImportVersionCache } from './import-version-cache.ts'

/** Time for which rows changed by hand, past the import, can go unnoticed. */
const ttlMs = 5 * minuteMs
const maxBytes = 32 * 1024 * 1024
/** Bytes of an entry without its key and body. */
const entryBytes = 500
const maxEntryBytes = 2 * 1024 * 1024

export interface CacheableRequest {
  readonly tenantId: string
  /** Everything the response depends on but the tenant's reports. */
  readonly key: string
  readonly read: Read
}

export type CacheResult =
  | { readonly cacheHit: true; readonly representation: Representation }
  | { readonly cacheHit: false; readonly store: (loaded: Representation) => void }

export interface ResponseCache {
  find(request: CacheableRequest): Promise<CacheResult>
}

interface CacheEntry {
  /** Undefined after the first request: most windows that move are never requested again. */
  readonly response?: {
    readonly representation: Representation
    /** Read before the load. */
    readonly version: string
    readonly expiresAt: number
  }
}

/** By tenant, request and import version, from a request's second time on; a hit costs a lookup a tenant and 500 ms. */
export function createResponseCache(now = () => performance.now()): ResponseCache {
  const versions = createImportVersionCache(now)
  const entries = new LRUCache<string, CacheEntry>({
    ttl: ttlMs,
    updateAgeOnGet: true,
    // A read of the clock for each request costs less than the timer that would cache the time.
    ttlResolution: 0,
    perf: { now },
    maxSize: maxBytes,
    maxEntrySize: maxEntryBytes,
    sizeCalculation: ({ response }, key) => entryBytes + key.length + (response?.representation.bytes ?? 0),
  })

  return {
    async find({ tenantId, key: request, read }) {
      const key = `${tenantId} ${request}`
      if (!entries.has(key)) {
        entries.set(key, {})
        return { cacheHit: false, store: () => {} }
      }
      const startedAt = now()
      const version = await versions.current(tenantId, read)
      const cached = entries.get(key)?.response
      if (cached && cached.version === version && now() < cached.expiresAt) {
        return { cacheHit: true, representation: cached.representation }
      }
      return {
        cacheHit: false,
        store(representation) {
          if (version === undefined) entries.set(key, {})
          else entries.set(key, { response: { representation, version, expiresAt: startedAt + ttlMs } })
        },
      }
    },
  }
}
