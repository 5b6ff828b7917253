import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import { type LeaseOptions, withLease } from '../program/lease.ts'
import { reasonOf } from '../program/log-outage.ts'

export interface Passes {
  readonly database: Pick<Database, 'read' | 'insert'>
  /** One of `leaseIds`. */
  readonly leaseId: string
  readonly lease: Pick<LeaseOptions, 'expiresAfterMs' | 'renewEveryMs' | 'pollMs'>
  /** Between two passes. */
  readonly lookEveryMs: number
  /** Begins no further pass. */
  readonly stopping: AbortSignal
  readonly log: Logger
  /** Begins log lines, such as `Scans`. */
  readonly name: string
  readonly onHeld?: (held: boolean) => void
  /** Awaits what the passes started, before another worker can take over. */
  readonly settled?: () => Promise<void>
}

/** Repeats the pass in one worker at a time, until `stopping`. A pass that fails is followed by another. */
export async function underLease(
  passes: Passes,
  pass: (checkLease: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { database, leaseId, lease, lookEveryMs, stopping, log, name, onHeld = () => {}, settled } = passes
  const pause = () => sleep(lookEveryMs, undefined, { signal: stopping }).catch(() => {})
  let waitedFor: string | undefined
  const options: LeaseOptions = {
    ...lease,
    database,
    leaseId,
    kind: 'loop',
    signal: stopping,
    onWait(holder) {
      waitedFor = holder
      log.info({ holder }, `${name}: another worker is active; this worker waits`)
    },
    lostMessage: 'Another worker took over because this worker did not respond',
  }
  while (!stopping.aborted) {
    try {
      await withLease(options, async (checkLease) => {
        onHeld(true)
        if (waitedFor !== undefined) log.info({ holder: waitedFor }, `${name}: this worker took over`)
        waitedFor = undefined
        try {
          while (!stopping.aborted) {
            await pass(checkLease)
            await pause()
          }
        } finally {
          await settled?.()
        }
      })
    } catch (error) {
      if (stopping.aborted) return
      log.error({ reason: reasonOf(error) }, `${name}: interrupted`)
      await pause()
    } finally {
      onHeld(false)
    }
  }
}
