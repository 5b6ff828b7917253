import { LRUCache } from 'lru-cache'
import type { Read } from '../../queries/query.ts'
import { type FoundKey, findKey } from '../../queries/tenants/find-key.ts'
import { entitlements, type Plan, type PlanRow } from '../../schema/plans.ts'
import { Problem } from '../../schema/problems.ts'
import { hashKey, keyPattern } from '../keys.ts'
import { shareUnderWay } from '../share-under-way.ts'

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

/** RFC 9110, 11.4: one space or more. */
const bearer = /^Bearer +([^ ]+)$/i

/**
 * Finds the caller of an Authorization header. Throws invalid_api_key, the same for every cause, or
 * upstream_unavailable.
 */
export function createAuthenticator(read: Read, now: () => number = Date.now) {
  // Only found keys are kept, so that guesses cannot fill the memory; simultaneous look-ups of one key are one.
  const found = new LRUCache<string, FoundKey>({ max: cachedKeys, ttl: cacheMilliseconds, perf: { now } })
  const share = shareUnderWay<FoundKey | undefined>()

  async function lookUp(hash: string): Promise<FoundKey | undefined> {
    const asked = now()
    const [key] = await read(findKey(hash))
    // Counted from before the question, because the answer is as old as that.
    if (key) found.set(hash, key, { start: asked })
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
    const row = kept ?? (await share(hash, () => lookUp(hash)))
    if (!row || row.revoked || Date.parse(row.expiresAt) <= now()) throw new Problem('invalid_api_key')
    return toCaller(row)
  }
}

function toCaller(row: FoundKey): Caller {
  const { keyId, keyName, prefix, createdAt, expiresAt, tenantId, tenantName, plan, overrides } = row
  return {
    key: { id: keyId, name: keyName, prefix, createdAt, expiresAt },
    tenant: { id: tenantId, name: tenantName, plan, may: entitlements(plan, overrides) },
  }
}
