/** @module Alerts of a change, and their deliveries. */

import { dayMs } from '../../../schema/durations.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import { alertEvents, type PageChange } from '../../../schema/rules/pci/change-alerts.ts'

type Evidence = PciReport['evidence']

/**
 * Alerts of the change's events within a day of it that reached nobody. An alert can belong to several changes, because
 * it names none.
 */
export function failedAlertIds(change: PageChange, deliveries: Evidence['deliveries']): string[] {
  const delivered = new Set(deliveries.filter(({ outcome }) => outcome === 'delivered').map(({ alertId }) => alertId))
  const events: readonly (string | null)[] = alertEvents(change)
  const failed = deliveries.filter(({ alertId, eventType, createdAt }) => {
    const age = Date.parse(createdAt) - Date.parse(change.scannedAt)
    return !delivered.has(alertId) && events.includes(eventType) && age >= 0 && age <= dayMs
  })
  return [...new Set(failed.map(({ alertId }) => alertId))].sort()
}

export const deliveriesOf = (
  { alertIds, failedAlertIds }: Evidence['changes'][number],
  { deliveries }: Evidence,
): readonly Evidence['deliveries'][number][] =>
  deliveries.filter(({ alertId }) => alertIds.includes(alertId) || failedAlertIds.includes(alertId))
