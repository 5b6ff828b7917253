/**
 * @module One import of reports a tenant at a time, and one worker that scans. ClickHouse has no compare-and-set, but drops
 * an insert of a deduplication token that it has: of all claims to one generation of the lease the first is stored.
 */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../queries/clickhouse/database.ts'
import { insertRows } from '../../../queries/clickhouse/insert-rows.ts'
import { findImportLease } from '../../../queries/tenants/find-import-lease.ts'
import { withRetry } from '../with-retry.ts'

export interface LeaseOptions {
  readonly database: Pick<Database, 'read' | 'insert'>
  /** A tenant, or another UUID of what one process does at a time. */
  readonly tenantId: string
  /** Ends the wait for another import; a free lease is claimed still. */
  readonly signal?: AbortSignal
  /** Called once where another import holds the lease; it can throw instead of waiting. */
  readonly onWait: (holder: string) => void
  /** Of a tenant's deletion an import does not wait: its tenant will be gone. */
  readonly purpose?: 'import' | 'deletion' | 'deletion of a site'
  /** Called before each claim; a rejection ends it, so that a deleted tenant gets no row. */
  readonly beforeClaim?: () => Promise<void>
  /** Time without renewal after which another import takes over. */
  readonly expiresAfterMs?: number
  readonly renewEveryMs?: number
  /** Pause between two claims of a lease that another holds. */
  readonly pollMs?: number
  /** Error of a lease that another has taken over. */
  readonly lostMessage?: string
}

const importLost = 'Another import of the tenant took over while this one did not respond: run it again'

/** Begins the holder of the lease of a tenant's deletion. */
const deletion = 'deletion by '

/** Runs the task under the tenant's lease. `checkLease` renews it, and rejects where another import took over. */
export async function withImportLease<Result>(
  options: LeaseOptions,
  task: (checkLease: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { database, tenantId, signal, onWait, expiresAfterMs = 30_000, renewEveryMs = 5_000 } = options
  const id = randomUUID()
  const holder = `process ${process.pid} on ${hostname()}`
  const { purpose = 'import', pollMs = 500, lostMessage = importLost } = options
  const own = { tenant_id: tenantId, id, holder: purpose === 'import' ? holder : `${purpose} by ${holder}` }
  const latest = async () => (await database.read(findImportLease(tenantId, expiresAfterMs)))[0]
  const write = (generation: number, released: boolean, token?: string) =>
    insertRows(database, 'import_leases', [{ ...own, generation, released }], token)

  async function claim(): Promise<number> {
    let isWaiting = false
    for (let claimed = 0; ; ) {
      const lease = await withRetry(latest, signal)
      if (lease?.id === id) return lease.generation
      if (lease?.isHeld) {
        if (lease.holder.startsWith(deletion)) {
          throw new Error(`The tenant ${tenantId} is being deleted: ${lease.holder}`)
        }
        if (!isWaiting) onWait(lease.holder)
        isWaiting = true
        await sleep(pollMs, undefined, { signal })
      } else {
        const next = Math.max(lease?.generation ?? 0, claimed) + 1
        claimed = next
        await options.beforeClaim?.()
        await withRetry(() => write(next, false, `${tenantId} ${next}`), signal)
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
    // A lease that cannot be released expires.
    await write(generation, true).catch(() => {})
  }
}
