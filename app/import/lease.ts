/**
 * @module One process at a time: an import of a tenant's reports, or a loop of the worker. ClickHouse has no
 * compare-and-set, but drops an insert with a known deduplication token: only the first claim to a generation of the
 * lease is stored.
 */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../queries/clickhouse/database.ts'
import { insertRows } from '../../queries/clickhouse/insert-rows.ts'
import { findLease } from '../../queries/tenants/find-lease.ts'
import { withRetry } from './with-retry.ts'

export interface LeaseOptions {
  readonly database: Pick<Database, 'read' | 'insert'>
  /** UUID of the leased work: a tenant's, or a constant of a loop. */
  readonly leaseId: string
  /** Ends the wait for another holder; a free lease is still claimed. */
  readonly signal?: AbortSignal
  /** Called once if another process holds the lease; it can throw instead of waiting. */
  readonly onWait: (holder: string) => void
  /** An import does not wait for its tenant's deletion: the tenant will be gone. */
  readonly purpose?: 'import' | 'deletion' | 'deletion of a site'
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

/** Begins the holder of the lease of a tenant's deletion. */
const deletion = 'deletion by '

/** Ids of leases whose task has ended in this process, which does not wait for itself. */
const unreleased = new Set<string>()

/** Runs the task under the lease. `checkLease` renews it, and rejects if another process took over. */
export async function withLease<Result>(
  options: LeaseOptions,
  task: (checkLease: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { database, leaseId, signal, onWait, expiresAfterMs = 30_000, renewEveryMs = 5_000 } = options
  const id = randomUUID()
  const holder = `process ${process.pid} on ${hostname()}`
  const { purpose = 'import', pollMs = 500, lostMessage = importLost } = options
  const own = { tenant_id: leaseId, id, holder: purpose === 'import' ? holder : `${purpose} by ${holder}` }
  const latest = async () => (await database.read(findLease(leaseId, expiresAfterMs)))[0]
  const write = (generation: number, released: boolean, token?: string) =>
    insertRows(database, 'import_leases', [{ ...own, generation, released }], token)

  async function claim(): Promise<number> {
    let isWaiting = false
    for (let claimed = 0; ; ) {
      const lease = await withRetry(latest, signal)
      if (lease?.id === id) return lease.generation
      if (lease?.isHeld && !unreleased.has(lease.id)) {
        if (lease.holder.startsWith(deletion)) {
          throw new Error(`The tenant ${leaseId} is being deleted: ${lease.holder}`)
        }
        if (!isWaiting) onWait(lease.holder)
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
