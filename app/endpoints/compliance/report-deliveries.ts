import { alertEvents } from '../../../queries/rules/pci/change-alerts.ts'
import { dayMs } from '../../../schema/durations.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'

type Evidence = PciReport['evidence']

/** Of the alerts of a change; without one, what was tried for its events within a day, and not delivered. */
export function deliveriesOf(
  change: Evidence['changes'][number],
  { deliveries }: Evidence,
): readonly Evidence['deliveries'][number][] {
  if (change.alertIds.length > 0) return deliveries.filter(({ alertId }) => change.alertIds.includes(alertId))
  const delivered = new Set(deliveries.filter(({ outcome }) => outcome === 'delivered').map(({ alertId }) => alertId))
  const events: readonly (string | null)[] = alertEvents(change)
  return deliveries.filter(({ alertId, eventType, createdAt }) => {
    const age = Date.parse(createdAt) - Date.parse(change.scannedAt)
    return !delivered.has(alertId) && events.includes(eventType) && age >= 0 && age <= dayMs
  })
}
