/**
 * @module One process at a time: an import or a deletion of a tenant, a hold of the collectors, or a loop of the worker.
 * ClickHouse has no compare-and-set, but drops an insert with a known deduplication token: only the first claim to a
 * generation of the lease is stored.
 */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { findLease } from '../../queries/tenants/find-lease.ts'
import { withRetry } from './with-retry.ts'

/** Leases of the whole installation; these ids belong to no tenant. */
export const leaseIds = {
  scans: '5ca45000-0000-4000-8000-000000000000',
  captures: 'ca970500-0000-4000-8000-000000000000',
  libraries: '11b7a700-0000-4000-8000-000000000000',
  sightings: '5167a700-0000-4000-8000-000000000000',
  detection: 'de7ec700-0000-4000-8000-000000000000',
  alerts: 'a1e47500-0000-4000-8000-000000000000',
  hold: 'c011ec70-0000-4000-8000-000000000000',
} as const

export type LeaseKind = 'import' | 'deletion' | 'site deletion' | 'report deletion' | 'move' | 'hold' | 'loop'

export interface LeaseOptions {
  readonly database: Pick<Database, 'read' | 'insert'>
  /** A tenant's id, or one of `leaseIds`. */
  readonly leaseId: string
  /** An import does not wait for its tenant's deletion: the tenant will be gone. */
  readonly kind: LeaseKind
  /** Ends the wait for another holder; a free lease is still claimed. */
  readonly signal?: AbortSignal
  /** Called once if another process holds the lease; it can throw instead of waiting. */
  readonly onWait: (holder: string, kind: string) => void
  /** Called before each claim; a rejection ends it, so that a deleted tenant gets no row. */
  readonly beforeClaim?: () => Promise<void>
  /** Time without renewal after which another process takes over. */
  readonly expiresAfterMs?: number
  readonly renewEveryMs?: number
  /** Pause between attempts to claim a held lease. */
  readonly pollMs?: number
  /** Error of a lease that another process took over. */
  readonly lostMessage?: string
}

const importLost = 'Another import of the tenant took over because this import did not respond: run it again'

/** Ids of leases whose task has ended in this process, which does not wait for itself. */
const unreleased = new Set<string>()

/** Runs the task under the lease. `checkLease` renews it, and rejects if another process took over. */
export async function withLease<Result>(
  options: LeaseOptions,
  task: (checkLease: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { database, leaseId, kind, signal, onWait, expiresAfterMs = 30_000, renewEveryMs = 5_000 } = options
  const { pollMs = 500, lostMessage = importLost } = options
  const id = randomUUID()
  const own = { tenant_id: leaseId, id, kind, holder: `process ${process.pid} on ${hostname()}` }
  const latest = async () => (await database.read(findLease(leaseId, expiresAfterMs)))[0]
  const write = (generation: number, released: boolean, token?: string) =>
    insertRows(database, 'import_leases', [{ ...own, generation, released }], token)

  async function claim(): Promise<number> {
    let isWaiting = false
    for (let claimed = 0; ; ) {
      const lease = await withRetry(latest, signal)
      if (lease?.id === id) return lease.generation
      if (lease?.isHeld && !unreleased.has(lease.id)) {
        if (lease.kind === 'deletion') throw new Error(`The tenant ${leaseId} is being deleted by ${lease.holder}`)
        if (!isWaiting) onWait(lease.holder, lease.kind)
        isWaiting = true
        await sleep(pollMs, undefined, { signal })
      } else {
        const next = Math.max(lease?.generation ?? 0, claimed) + 1
        claimed = next
        await options.beforeClaim?.()
        await withRetry(() => write(next, false, `${leaseId} ${next}`), signal)
      }
    }
  }

  const generation = await claim()
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    // A renewal that fails is followed by another; `checkLease` finds a lease that was lost.
    renewing = write(generation, false).catch(() => {})
  }, renewEveryMs)
  try {
    return await task(async () => {
      await write(generation, false)
      if ((await latest())?.id === id) return
      throw new Error(lostMessage)
    })
  } finally {
    clearInterval(timer)
    await renewing
    // For other processes a lease that cannot be released expires.
    await write(generation, true).catch(() => unreleased.add(id))
  }
}
