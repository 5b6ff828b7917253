import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/query.ts'
import { type FoundKey, findKey } from '../../queries/tenants/find-key.ts'
import { entitlements, type Plan, type PlanRow } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { hashKey, keyPattern } from '../keys.ts'
import { shareUnderWay } from './cache/single-flight.ts'

/** Who asks: a good key, its tenant, and what the tenant may do. */
export interface Caller {
  readonly key: {
    readonly id: string
    readonly name: string
    readonly prefix: string
    readonly createdAt: string
    readonly expiresAt: string
  }
  readonly tenant: { readonly id: string; readonly name: string; readonly plan: Plan; readonly may: PlanRow }
}

/** Below the 5 s within which a revocation must bite, to leave time for the look-up itself. */
const cacheMilliseconds = 4_000
const cachedKeys = 10_000
/** A found key in use is looked up again from this age on, while requests go on with it and none waits. */
const refreshedMilliseconds = 2_000

/** A key that was found, and until when it is good, by the clock of the authenticator. */
interface KnownKey {
  readonly caller: Caller
  readonly goodUntil: number
}

/** What time it is, in milliseconds. */
interface Clock {
  /** Since any moment; no one can set it. */
  readonly elapsed: () => number
  /** Since the Unix epoch. */
  readonly now: () => number
}

const systemClock: Clock = { elapsed: () => performance.now(), now: Date.now }

/** RFC 9110, 11.4: one space or more. */
const bearer = /^Bearer +([^ ]+)$/i

/**
 * Finds the caller of an Authorization header. Throws invalid_api_key, the same for every cause, or
 * upstream_unavailable.
 */
export function createAuthenticator(read: Read, clock: Clock = systemClock) {
  // Only found keys are kept, so that guesses cannot fill the memory; simultaneous look-ups of one key are one.
  const found = new LRUCache<string, KnownKey>({
    max: cachedKeys,
    ttl: cacheMilliseconds,
    // A timer to remember the time by would cost more than to ask for it.
    ttlResolution: 0,
    perf: { now: clock.elapsed },
  })
  // Only to choose the lane by: a key of a dashboard that polls every minute does not wait behind guesses.
  const everFound = new LRUCache<string, true>({ max: cachedKeys })
  const share = shareUnderWay<KnownKey | undefined>()

  async function lookUp(hash: string): Promise<KnownKey | undefined> {
    const asked = clock.elapsed()
    const [row] = await read(findKey(hash, everFound.has(hash) ? 'lookUp' : 'newKey'))
    const key = row && toKnownKey(row)
    // Counted from before the question, because the answer is as old as that.
    if (key) {
      found.set(hash, key, { start: asked })
      everFound.set(hash, true)
    }
    return key
  }

  return async function authenticate(authorization: string | undefined): Promise<Caller> {
    const key = authorization?.match(bearer)?.[1]
    if (!key || !keyPattern.test(key)) throw new Problem('invalid_api_key')
    const hash = hashKey(key)
    const kept = found.get(hash)
    if (kept && found.getRemainingTTL(hash) < cacheMilliseconds - refreshedMilliseconds) {
      // Where this fails, the key is still forgotten in time, and whoever asks then hears of it.
      share(hash, () => lookUp(hash)).catch(() => undefined)
    }
    const known = kept ?? (await share(hash, () => lookUp(hash)))
    if (!known || known.goodUntil <= clock.now()) throw new Problem('invalid_api_key')
    return known.caller
  }
}

function toKnownKey(row: FoundKey): KnownKey {
  const { keyId, keyName, prefix, createdAt, expiresAt, revoked, tenantId, tenantName, plan, overrides } = row
  const caller = {
    key: { id: keyId, name: keyName, prefix, createdAt, expiresAt },
    tenant: { id: tenantId, name: tenantName, plan, may: entitlements(plan, overrides) },
  }
  return { caller, goodUntil: revoked ? Number.NEGATIVE_INFINITY : Date.parse(expiresAt) }
}
