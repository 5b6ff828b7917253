import { LRUCache } from 'lru-cache'
import type { Read } from '../../../queries/sql/query.ts'
import { importVersionTtlMs, minuteMs } from '../../../schema/durations.ts'
import type { Representation } from '../conditional-response.ts'
import { createImportVersionCache } from './import-version-cache.ts'
import { singleFlight } from './single-flight.ts'

/** Time for which rows changed by hand, past the import, can go unnoticed. */
const ttlMs = 5 * minuteMs
const maxBytes = 32 * 1024 * 1024
/** Bytes of an entry without its key and body. */
const entryBytes = 500
const maxEntryBytes = 2 * 1024 * 1024

export interface CacheableRequest {
  readonly tenantId: string
  /** Everything that the response depends on, except the tenant's reports. */
  readonly key: string
  /** Sent by others too: cached from its first time on instead of its second. */
  readonly isShared: boolean
  readonly read: Read
  /** Created on demand: signal and flight take 10 of a request's 200 µs of CPU time, so a hit has neither. */
  readonly signal: () => AbortSignal
  readonly load: (signal: AbortSignal) => Promise<Representation>
}

export interface CachedResponse {
  readonly cacheHit: boolean
  readonly representation: Representation
  /** Time before the request since which reports can be missing; at most `importVersionTtlMs`. */
  readonly ageMs: number
}

export interface ResponseCache {
  getOrLoad(request: CacheableRequest): Promise<CachedResponse>
}

interface LoadedResponse {
  readonly representation: Representation
  readonly loadedAt: number
}

interface CacheEntry {
  /** Undefined after the first request: most moving windows are never requested again. */
  readonly response?: LoadedResponse
}

/**
 * Responses by tenant, request and import version; hits cost one lookup per tenant and second. One load of each is in
 * flight.
 */
export function createResponseCache(now = () => performance.now()): ResponseCache {
  const versions = createImportVersionCache(now)
  const flights = singleFlight<LoadedResponse>(now)
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
    async getOrLoad({ tenantId, key: request, isShared, read, signal, load }) {
      const key = `${tenantId} ${request}`
      const requestedAt = now()
      const isRepeated = isShared || entries.has(key)
      const version = isRepeated ? await versions.current(tenantId, read) : undefined
      const respond = (cacheHit: boolean, { representation, loadedAt }: LoadedResponse): CachedResponse => {
        const isCurrent = version && loadedAt >= version.since
        const readAt = isCurrent ? Math.max(loadedAt, version.readAt) : loadedAt
        return { cacheHit, representation, ageMs: Math.max(0, requestedAt - readAt) }
      }
      const cached = version && entries.get(key)?.response
      if (cached && cached.loadedAt >= version.since && now() < cached.loadedAt + ttlMs) return respond(true, cached)
      if (!version) entries.set(key, {})

      async function loadAndStore(flightSignal: AbortSignal, loadedAt: number): Promise<LoadedResponse> {
        const loaded = { representation: await load(flightSignal), loadedAt }
        if (version) entries.set(key, { response: loaded })
        return loaded
      }
      const since = Math.min(version?.since ?? requestedAt, requestedAt - importVersionTtlMs)
      return respond(false, await flights(key, loadAndStore, signal(), since))
    },
  }
}
