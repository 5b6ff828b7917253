/** @module The loop of scans: one worker at a time, four pages at a time, no page twice at one due time. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../queries/clickhouse/database.ts'
import { hourMs } from '../../schema/durations.ts'
import { type LeaseOptions, withImportLease } from '../import/reports/import-lease.ts'
import { reasonOf } from '../program/log-outage.ts'
import { type DuePage, type IntervalOf, listDuePages } from './list-due-pages.ts'
import type { ScanSettings } from './scan/scan-settings.ts'
import { storeScan } from './store-scan.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

export interface ScanLoop {
  readonly database: Database
  readonly settings: ScanSettings
  readonly intervalOf: IntervalOf
  /** Pause between two passes. */
  readonly lookEveryMs: number
  readonly lease: Pick<LeaseOptions, 'expiresAfterMs' | 'renewEveryMs' | 'pollMs'>
  readonly metrics: WorkerMetrics
  readonly log: Logger
  /** Begins no further scan. */
  readonly stopping: AbortSignal
  /** Ends scans that run; they are not stored. */
  readonly cut: AbortSignal
}

const pagesAtOnce = 4

/** Of no tenant. */
const leaseOfScans = '5ca45000-0000-4000-8000-000000000000'
const lostMessage = 'Another worker took over while this one did not respond'

/** Until `stopping`; an error ends a pass alone. */
export async function runScans(loop: ScanLoop): Promise<void> {
  const { database, lease, lookEveryMs, metrics, log, stopping } = loop
  const pause = () => sleep(lookEveryMs, undefined, { signal: stopping }).catch(() => {})
  const onWait = (holder: string) => log.info({ holder }, 'Another worker scans; this one waits')
  const own = { ...lease, database, tenantId: leaseOfScans, signal: stopping, onWait, lostMessage }
  const unstored = new Map<string, number>()
  while (!stopping.aborted) {
    try {
      await withImportLease(own, async (checkLease) => {
        metrics.holdLease(true)
        while (!stopping.aborted) {
          await scanDuePages(loop, unstored, checkLease)
          await pause()
        }
      })
    } catch (error) {
      if (stopping.aborted) return
      log.error({ reason: reasonOf(error) }, 'Scans are interrupted')
      await pause()
    } finally {
      metrics.holdLease(false)
    }
  }
}

/** @param unstored when pages may be fetched again whose scan could not be stored. */
async function scanDuePages(loop: ScanLoop, unstored: Map<string, number>, checkLease: () => Promise<void>) {
  const { database, settings, intervalOf, metrics, log, stopping, cut } = loop
  const endPass = metrics.startPass()
  const due = await listDuePages(database, intervalOf)
  const queue = due.filter(({ id }) => (unstored.get(id) ?? 0) <= Date.now()).values()

  async function scan(page: DuePage): Promise<void> {
    const { tenantId, scanId, id: pageId } = page
    try {
      const stored = await storeScan(page, { database, tenantId, scanId, settings, signal: cut })
      const { failureReason, failureMessage } = stored
      if (failureReason) log.warn({ tenantId, pageId, failureReason, failureMessage }, 'A page cannot be scanned')
      metrics.countScan(failureReason ?? 'complete')
    } catch (error) {
      if (cut.aborted) return
      unstored.set(pageId, Date.now() + hourMs)
      log.error({ tenantId, pageId, reason: reasonOf(error) }, 'A scan is not stored')
    }
  }

  async function scanQueue(): Promise<void> {
    for (const page of queue) {
      if (stopping.aborted) return
      await checkLease()
      await scan(page)
    }
  }

  const ended = await Promise.allSettled(Array.from({ length: pagesAtOnce }, scanQueue))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
  endPass()
}
