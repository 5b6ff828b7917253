import { LRUCache } from 'lru-cache'
import type { Read } from '../../../queries/sql/query.ts'
import { listImportSteps } from '../../../queries/tenants/imports.ts'
import { importVersionTtlMs } from '../../../schema/durations.ts'
import { Problem } from '../../../schema/problems.ts'
import { importVersion } from '../../../schema/rules/import-version.ts'

/** Age from which an unchanged version is refreshed in the background, so that no request waits. */
const refreshAheadMs = importVersionTtlMs - 150
const failedLookupMs = 5_000
const maxTenants = 10_000
/** Import steps per hour above which a tenant's versions are not compared. */
const maxSteps = 500

/** Milliseconds of the cache's clock. */
export interface ImportVersion {
  /** Start of the lookup: the response has every report stored before it. */
  readonly readAt: number
  /** A load that began since then has read this version. */
  readonly since: number
}

/** The latest version found, whose id is undefined during an import. */
interface LatestVersion {
  id: string | undefined
  since: number
}

interface VersionLookup {
  readonly startedAt: number
  readonly result: Promise<ImportVersion | undefined>
  /** Latest version of the tenant, for all its lookups. */
  readonly latest: LatestVersion
  /**
   * Undefined until the lookup ends. A changing tenant is not refreshed ahead: its version changes once per lifetime.
   */
  isUnchanged?: boolean
  refreshing?: true
}

/** Version of each tenant's data, valid for `importVersionTtlMs` from the start of its lookup. */
export interface ImportVersionCache {
  /**
   * During an import each lookup has a separate version. Undefined after a failed lookup. Throws errors of `read`
   * except Problems.
   */
  current(tenantId: string, read: Read): Promise<ImportVersion | undefined>
}

/** @param now milliseconds of a monotonic clock. */
export function createImportVersionCache(now: () => number): ImportVersionCache {
  const lookups = new LRUCache<string, VersionLookup>({
    ttlResolution: 0,
    perf: { now },
    max: maxTenants,
    // The next lookup is compared with an expired one.
    noDeleteOnStaleGet: true,
  })

  function store(tenantId: string, lookup: VersionLookup, ttl: number = importVersionTtlMs): void {
    lookups.set(tenantId, lookup, { start: lookup.startedAt, ttl })
  }

  async function readId(tenantId: string, read: Read): Promise<string | undefined> {
    const steps = await read(listImportSteps(tenantId, maxSteps + 1))
    return steps.length > maxSteps ? undefined : importVersion(steps)
  }

  function start(tenantId: string, read: Read, latest: LatestVersion): VersionLookup {
    const startedAt = now()
    const isFirst = latest.since === Number.NEGATIVE_INFINITY
    async function readVersion(): Promise<ImportVersion | undefined> {
      try {
        const id = await readId(tenantId, read)
        const isSame = id !== undefined && id === latest.id
        if (!isSame) Object.assign(latest, { id, since: now() })
        lookup.isUnchanged = isSame || (isFirst && id !== undefined)
        return { readAt: startedAt, since: latest.since }
      } catch (error) {
        // A database too busy for a lookup's short timeout may still serve the request's own queries.
        if (!(error instanceof Problem)) {
          if (lookups.peek(tenantId, { allowStale: true }) === lookup) lookups.delete(tenantId)
          throw error
        }
        store(tenantId, { startedAt: now(), result: Promise.resolve(undefined), latest }, failedLookupMs)
        return undefined
      }
    }
    const lookup: VersionLookup = { startedAt, latest, result: readVersion() }
    return lookup
  }

  function refreshAhead(tenantId: string, read: Read, current: VersionLookup): void {
    current.refreshing = true
    const next = start(tenantId, read, current.latest)
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
        const before = lookups.peek(tenantId, { allowStale: true })
        const latest = before?.latest ?? { id: undefined, since: Number.NEGATIVE_INFINITY }
        const first = start(tenantId, read, latest)
        store(tenantId, first)
        return first.result
      }
      const isDue = lookup.isUnchanged && now() >= lookup.startedAt + refreshAheadMs
      if (isDue && !lookup.refreshing) refreshAhead(tenantId, read, lookup)
      return lookup.result
    },
  }
}
