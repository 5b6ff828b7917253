/**
 * @module The hold: no collector begins a block while a process counts or deletes data that blocks change. Posts are
 * still accepted.
 */

import { waitUntil } from '../../clickhouse/cluster/wait-until.ts'
import { findBlocksInFlight } from '../../clickhouse/rollups/blocks-in-flight.ts'
import type { Database } from '../../queries/clickhouse/database.ts'
import { findLease } from '../../queries/tenants/find-lease.ts'
import { leaseIds, withLease } from '../program/lease.ts'

/** Time after which the hold of a killed process ends. */
const expiresAfterMs = 30_000

export interface HoldOptions {
  /** Databases whose blocks in flight are waited for; then the hold fails. */
  readonly shards?: readonly Database[]
  readonly signal?: AbortSignal | undefined
  readonly log?: (line: string) => void
  /** Called if blocks are still in flight after a minute; it can throw. */
  readonly onLate?: (error: Error) => void
}

const throwLate = (error: Error): never => {
  throw error
}

/** A collector logs its block as started before it reads this, and a holder reads the log after it has claimed. */
export async function isHeld(database: Pick<Database, 'read'>, signal?: AbortSignal): Promise<boolean> {
  const [lease] = await database.read(findLease(leaseIds.hold, expiresAfterMs), { signal })
  return lease?.isHeld ?? false
}

export function holdCollectors<Result>(
  database: Pick<Database, 'read' | 'insert'>,
  task: () => Promise<Result>,
  { shards, signal, log = () => {}, onLate = throwLate }: HoldOptions = {},
): Promise<Result> {
  const onWait = (holder: string) => log(`Waiting for ${holder}, which has paused the collectors`)
  const lease = { database, leaseId: leaseIds.hold, kind: 'hold', onWait, expiresAfterMs } as const
  return withLease({ ...lease, ...(signal && { signal }) }, async () => {
    if (shards) {
      const fix = 'start that collector, which completes its block, and run the command again'
      await waitUntil(() => findBlocksInFlight(shards), fix, { onStep: log }).catch(onLate)
    }
    return task()
  })
}
