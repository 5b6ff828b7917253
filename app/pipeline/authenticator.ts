import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/sql/query.ts'
import { type FoundKey, findKey } from '../../queries/tenants/keys.ts'
import { keyTtlMs } from '../../schema/durations.ts'
import { keyPattern } from '../../schema/key-pattern.ts'
import { type Entitlements, entitlements, type Plan } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import type { PlanVersion } from '../../schema/rules/time/expired-rows.ts'
import { hashKey } from '../api-keys/key-format.ts'
import { singleFlight } from './cache/single-flight.ts'

export interface Caller {
  readonly key: {
    readonly id: string
    readonly name: string
    readonly prefix: string
    /** Origins of pages that may use the key; empty for any client. */
    readonly origins: readonly string[]
    readonly createdAt: string
    readonly expiresAt: string
  }
  /** The one site that the key reads; null for every site of the tenant. */
  readonly siteId: string | null
  readonly tenant: {
    readonly id: string
    readonly name: string
    readonly plan: Plan
    readonly entitlements: Entitlements
    /** The earliest first; without them retention was never changed. */
    readonly planVersions?: readonly PlanVersion[]
  }
}

/** Throws invalid_api_key, with one message for every cause, or upstream_unavailable. */
export type Authenticator = (authorization: string | undefined) => Promise<Caller>

const maxKeys = 10_000

interface CachedKey {
  readonly caller: Caller
  /** Time of `Clock.now`. */
  readonly validUntil: number
}

interface Clock {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

const systemClock: Clock = { elapsed: () => performance.now(), now: Date.now }

/** RFC 9110, 11.4: one space or more. */
const bearer = /^Bearer +([^ ]+)$/i

/** @param ttlMs of a cached key; from half of it on the key is refreshed in the background. */
export function createAuthenticator(read: Read, clock: Clock = systemClock, ttlMs: number = keyTtlMs): Authenticator {
  // Only keys that exist, so that guesses cannot fill the memory.
  const keys = new LRUCache<string, CachedKey>({
    max: maxKeys,
    ttl: ttlMs,
    ttlResolution: 0,
    perf: { now: clock.elapsed },
  })
  // Chooses the query pool: a dashboard's key that expired from the cache does not wait for guesses.
  const knownHashes = new LRUCache<string, true>({ max: maxKeys })
  const lookups = singleFlight<CachedKey | undefined>()

  async function loadKey(hash: string): Promise<CachedKey | undefined> {
    const start = clock.elapsed()
    const [row] = await read(findKey(hash, knownHashes.has(hash) ? 'lookup' : 'unknownKey'))
    if (!row) return undefined
    const key = toCachedKey(row)
    keys.set(hash, key, { start })
    knownHashes.set(hash, true)
    return key
  }

  return async function authenticator(authorization) {
    const text = authorization?.match(bearer)?.[1]
    if (!text || !keyPattern.test(text)) throw new Problem('invalid_api_key')
    const hash = hashKey(text)
    const cached = keys.get(hash)
    if (cached && keys.getRemainingTTL(hash) < ttlMs / 2) {
      // After an error the key expires as usual, and the request that waits for the next lookup gets its error.
      lookups(hash, () => loadKey(hash)).catch(() => undefined)
    }
    const key = cached ?? (await lookups(hash, () => loadKey(hash)))
    if (!key || key.validUntil <= clock.now()) throw new Problem('invalid_api_key')
    return key.caller
  }
}

function toCachedKey(row: FoundKey): CachedKey {
  const {
    keyId,
    keyName,
    prefix,
    siteId,
    origins,
    createdAt,
    expiresAt,
    revoked,
    tenantId,
    tenantName,
    plan,
    overrides,
    planVersions,
  } = row
  const caller = {
    key: { id: keyId, name: keyName, prefix, origins, createdAt, expiresAt },
    siteId,
    tenant: { id: tenantId, name: tenantName, plan, entitlements: entitlements(plan, overrides), planVersions },
  }
  return { caller, validUntil: revoked ? Number.NEGATIVE_INFINITY : Date.parse(expiresAt) }
}
