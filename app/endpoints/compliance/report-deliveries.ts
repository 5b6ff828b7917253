/** @module Alerts of a change, and their deliveries. */

import { scriptEvent } from '../../../schema/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { alertEvents, isInTime, type PageChange } from '../../../schema/rules/pci/change-alerts.ts'

type Evidence = PciReport['evidence']

export type Delivery = Evidence['deliveries'][number]

/**
 * Alerts of the change's events within a day of it that reached nobody. An alert that names no scan can belong to several
 * changes.
 */
export function failedAlertIds(change: PageChange, deliveries: Evidence['deliveries']): string[] {
  const delivered = new Set(deliveries.filter(({ outcome }) => outcome === 'delivered').map(({ alertId }) => alertId))
  const events: readonly (string | null)[] = alertEvents(change)
  const failed = deliveries.filter(
    (one) =>
      !delivered.has(one.alertId) &&
      events.includes(one.eventType) &&
      isInTime(change, one) &&
      (one.scanIds.length === 0 || one.scanIds.includes(change.scanId)),
  )
  return [...new Set(failed.map(({ alertId }) => alertId))].sort()
}

/** Deliveries of alerts about the change, including late alerts about its scan. */
export const deliveriesOf = (
  { scanId, alertIds, failedAlertIds }: Evidence['changes'][number],
  { deliveries }: Evidence,
): readonly Delivery[] =>
  deliveries.filter(
    ({ alertId, eventType, scanIds }) =>
      alertIds.includes(alertId) ||
      failedAlertIds.includes(alertId) ||
      (eventType !== scriptEvent && scanIds.includes(scanId)),
  )

export const deliveriesOfScript = (
  { scanId }: Evidence['scriptChanges'][number],
  { deliveries }: Evidence,
): readonly Delivery[] =>
  deliveries.filter(({ eventType, scanIds }) => eventType === scriptEvent && scanIds.includes(scanId))
