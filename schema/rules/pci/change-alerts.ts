import { dayMs } from '../../durations.ts'
import { changeEvent, gradeEvent, scriptEvent, unalertedDays } from '../../pci.ts'
import { byText } from '../by-text.ts'
import { groupBy } from '../group-by.ts'

export interface PageChange {
  readonly scanId: string
  readonly scannedAt: string
  readonly headers: readonly unknown[]
  readonly gradeDroppedFrom: string | null
}

interface PageAlert {
  readonly eventType: string | null
  readonly createdAt: string
  /** Set if the alert counts by its acknowledgement instead of its delivery. */
  readonly acknowledgedAt?: string
  /** Scans that the alert is about; empty for alerts of other systems and of earlier releases. */
  readonly scanIds: readonly string[]
}

const events: readonly (readonly [event: string, has: (change: PageChange) => boolean])[] = [
  [changeEvent, ({ headers }) => headers.length > 0],
  [gradeEvent, ({ gradeDroppedFrom }) => gradeDroppedFrom !== null],
]

/** Types of the events that a change is alerted by. */
export const alertEvents = (change: PageChange): readonly string[] =>
  events.filter(([, has]) => has(change)).map(([event]) => event)

/** Delivered within a day of the change, or acknowledged within seven. */
export const isInTime = (
  change: Pick<PageChange, 'scannedAt'>,
  { createdAt, acknowledgedAt }: Pick<PageAlert, 'createdAt' | 'acknowledgedAt'>,
): boolean => {
  const age = Date.parse(acknowledgedAt ?? createdAt) - Date.parse(change.scannedAt)
  return age >= 0 && age <= (acknowledgedAt === undefined ? 1 : unalertedDays) * dayMs
}

interface Delivery extends Omit<PageAlert, 'acknowledgedAt'> {
  readonly alertId: string
  readonly outcome: string
  readonly acknowledgements: readonly { readonly acknowledgedAt: string }[]
}

/** Alerts by their first delivery, and by their first acknowledgement; both oldest first. */
export function alertsOfDeliveries<One extends Delivery>(deliveries: readonly One[]) {
  const alerts = [...groupBy(deliveries, ({ alertId }) => alertId).values()]
  const acknowledgedOf = (some: readonly One[]) => {
    const [acknowledgedAt] = some.flatMap((one) => one.acknowledgements.map((by) => by.acknowledgedAt)).sort()
    return acknowledgedAt === undefined ? [] : some.slice(0, 1).map((one) => ({ ...one, acknowledgedAt }))
  }
  const oldestFirst = (a: One, b: One) => byText(a.createdAt, b.createdAt)
  return {
    delivered: alerts.flatMap((some) => some.find(({ outcome }) => outcome === 'delivered') ?? []).sort(oldestFirst),
    acknowledged: alerts.flatMap(acknowledgedOf).sort(oldestFirst),
  }
}

/** Alerts about a change of a script: they name its scan, and are in time for it. */
export const alertsOfScript = <Alert extends PageAlert>(
  change: Pick<PageChange, 'scanId' | 'scannedAt'>,
  alerts: readonly Alert[],
): Alert[] =>
  alerts.filter(
    (alert) => alert.eventType === scriptEvent && alert.scanIds.includes(change.scanId) && isInTime(change, alert),
  )

/**
 * Rule 68. An alert covers the changes of its scans. An alert that names no scan covers at most one change: the latest
 * change in the day before it that has its event and no other alert.
 * @param changes of every page of the site, newest first.
 * @param alerts oldest first.
 * @returns the changes with an alert, each with at most one per event.
 */
export function alertsByChange<Change extends PageChange, Alert extends PageAlert>(
  changes: readonly Change[],
  alerts: readonly Alert[],
): ReadonlyMap<Change, readonly Alert[]> {
  const alertsOf = new Map<Change, Alert[]>()
  for (const [event, has] of events) {
    const ofEvent = alerts.filter(({ eventType }) => eventType === event)
    const named = changes.filter(has).flatMap((change) => {
      const alert = ofEvent.find((one) => one.scanIds.includes(change.scanId) && isInTime(change, one))
      return alert ? [[change, alert] as const] : []
    })
    const covered = new Set(named.map(([change]) => change))
    const others = changes.filter((change) => has(change) && !covered.has(change))
    const unnamed = ofEvent.filter(({ scanIds }) => scanIds.length === 0)
    const inTime = coveredChanges(others, unnamed).filter(([change, alert]) => isInTime(change, alert))
    for (const [change, alert] of [...named, ...inTime]) {
      alertsOf.set(change, [...(alertsOf.get(change) ?? []), alert])
    }
  }
  return alertsOf
}

function coveredChanges<Change extends PageChange, Alert extends PageAlert>(
  changes: readonly Change[],
  alerts: readonly Alert[],
): [Change, Alert][] {
  const later = [...changes]
  // Changes before the alert, newest last.
  const open: Change[] = []
  return alerts.flatMap((alert) => {
    const age = (change: Change | undefined) => Date.parse(alert.createdAt) - Date.parse(change?.scannedAt ?? '')
    while (age(later.at(-1)) >= 0) open.push(...later.splice(-1))
    const covered = age(open.at(-1)) <= dayMs ? open.splice(-1) : []
    return covered.map((change): [Change, Alert] => [change, alert])
  })
}
