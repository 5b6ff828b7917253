import { LRUCache } from 'lru-cache'
import { importVersion } from '../../../queries/rules/import-version.ts'
import type { Read } from '../../../queries/sql/query.ts'
import { listImportSteps } from '../../../queries/tenants/list-import-steps.ts'
import { importVersionTtlMs } from '../../../schema/durations.ts'
import { Problem } from '../../../schema/problems.ts'

/** Age from which a version is refreshed in the background, so that no request waits. */
const refreshAheadMs = importVersionTtlMs - 150
const failedLookupMs = 5_000
const maxTenants = 10_000
/** Import steps an hour beyond which a tenant's responses are not cached. */
const maxSteps = 500

interface VersionLookup {
  readonly startedAt: number
  readonly result: Promise<string | undefined>
  /** Undefined until the lookup ends, and during an import. */
  version?: string | undefined
  refreshing?: true
}

/** Version of each tenant's data, valid for `importVersionTtlMs` from the start of its lookup. */
export interface ImportVersionCache {
  /** Undefined during an import and after a failed lookup. Throws errors of `read` but Problems. */
  current(tenantId: string, read: Read): Promise<string | undefined>
}

/** @param now milliseconds of a monotonic clock. */
export function createImportVersionCache(now: () => number): ImportVersionCache {
  const lookups = new LRUCache<string, VersionLookup>({
    ttlResolution: 0,
    perf: { now },
    max: maxTenants,
  })

  function store(tenantId: string, lookup: VersionLookup, ttl: number = importVersionTtlMs): void {
    lookups.set(tenantId, lookup, { start: lookup.startedAt, ttl })
  }

  async function readVersion(tenantId: string, read: Read): Promise<string | undefined> {
    try {
      const steps = await read(listImportSteps(tenantId, maxSteps + 1))
      return steps.length > maxSteps ? undefined : importVersion(steps)
    } catch (error) {
      // A database too busy for a lookup's short timeout may still serve the request's own queries.
      if (!(error instanceof Problem)) throw error
      store(tenantId, { startedAt: now(), result: Promise.resolve(undefined) }, failedLookupMs)
      return undefined
    }
  }

  function start(tenantId: string, read: Read): VersionLookup {
    const startedAt = now()
    const result = readVersion(tenantId, read).then((version) => {
      lookup.version = version
      return version
    })
    const lookup: VersionLookup = { startedAt, result }
    return lookup
  }

  function refreshAhead(tenantId: string, read: Read, current: VersionLookup): void {
    current.refreshing = true
    const next = start(tenantId, read)
    const replace = () => {
      if (lookups.peek(tenantId, { allowStale: true }) === current) store(tenantId, next)
    }
    // The next request that waits for a lookup gets its error.
    next.result.then(replace, () => undefined)
  }

  return {
    current(tenantId, read) {
      const lookup = lookups.get(tenantId)
      if (!lookup) {
        const first = start(tenantId, read)
        store(tenantId, first)
        return first.result
      }
      const isDue = lookup.version !== undefined && now() >= lookup.startedAt + refreshAheadMs
      if (isDue && !lookup.refreshing) refreshAhead(tenantId, read, lookup)
      return lookup.result
    },
  }
}
