/** @module The loop of scans: one worker at a time, four pages at a time, no page twice at one due time. */

import type { Database } from '../../../queries/clickhouse/database.ts'
import { hourMs } from '../../../schema/durations.ts'
import { leaseIds } from '../../program/lease.ts'
import { reasonOf } from '../../program/log-outage.ts'
import { createScanCapture } from '../captures/capture-scan.ts'
import type { Copies } from '../captures/copies.ts'
import { type Passes, underLease } from '../under-lease.ts'
import type { WorkerMetrics } from '../worker-metrics.ts'
import { type DuePage, type IntervalOf, listDuePages } from './list-due-pages.ts'
import type { ScanSettings } from './scan-settings.ts'
import { storeScan } from './store-scan.ts'

export interface ScanLoop extends Pick<Passes, 'lookEveryMs' | 'lease' | 'log' | 'stopping'> {
  readonly database: Database
  readonly settings: ScanSettings
  readonly intervalOf: IntervalOf
  readonly metrics: WorkerMetrics
  readonly copies: Copies
  /** Ends scans that run; they are not stored. */
  readonly cut: AbortSignal
}

const pagesAtOnce = 4

/** Runs until `stopping`; an error ends only the current pass. */
export async function runScans(loop: ScanLoop): Promise<void> {
  const { metrics } = loop
  const unstored = new Map<string, number>()
  const passes = { ...loop, leaseId: leaseIds.scans, name: 'Scans', onHeld: metrics.holdLease }
  await underLease(passes, (checkLease) => scanDuePages(loop, unstored, checkLease))
}

/** @param unstored when pages may be fetched again whose scan could not be stored. */
async function scanDuePages(loop: ScanLoop, unstored: Map<string, number>, checkLease: () => Promise<void>) {
  const { database, settings, intervalOf, metrics, copies, log, stopping, cut } = loop
  const endPass = metrics.startPass()
  const due = await listDuePages(database, intervalOf)
  const queue = due.filter(({ id }) => (unstored.get(id) ?? 0) <= Date.now()).values()

  async function scan(page: DuePage): Promise<void> {
    const { tenantId, siteId, scanId, id: pageId } = page
    const capture = createScanCapture({ database, metrics, copies, tenantId, siteId, log })
    try {
      const stored = await storeScan(page, { database, tenantId, scanId, settings, capture, signal: cut })
      const { failureReason, failureMessage } = stored
      if (failureReason) log.warn({ tenantId, pageId, failureReason, failureMessage }, 'Failed to scan a page')
      metrics.countScan(failureReason ?? 'complete')
    } catch (error) {
      if (cut.aborted) return
      unstored.set(pageId, Date.now() + hourMs)
      log.error({ tenantId, pageId, reason: reasonOf(error) }, 'Failed to store a scan')
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
