import { dayMs } from '../../../schema/durations.ts'
import { changeEvent, gradeEvent } from '../../../schema/pci.ts'

/** What a scan of a page found changed. */
export interface PageChange {
  readonly scannedAt: string
  /** Names of the watched headers that changed. */
  readonly headers: readonly string[]
  readonly gradeDroppedFrom: string | null
}

/** An alert of some event: `createdAt` is when it was first delivered. */
interface Alert {
  readonly eventType: string
  readonly createdAt: string
}

/** The events of a change, each by what it takes. */
const events: readonly (readonly [event: string, has: (change: PageChange) => boolean])[] = [
  [changeEvent, ({ headers }) => headers.length > 0],
  [gradeEvent, ({ gradeDroppedFrom }) => gradeDroppedFrom !== null],
]

/**
 * The changes of which an immediate alert was delivered within a day of their scan (contract, PCI readiness). An alert
 * names no scan, so it speaks for one change at most: the latest with its event, of the day before it, that no other
 * alert speaks for.
 * @param changes of every page of the site, newest first.
 * @param alerts oldest first.
 */
export function alertedChanges<Change extends PageChange>(
  changes: readonly Change[],
  alerts: readonly Alert[],
): ReadonlySet<Change> {
  const alerted = events.map(([event, has]) =>
    spokenFor(
      changes.filter(has),
      alerts.filter(({ eventType }) => eventType === event),
    ),
  )
  return new Set(alerted.flat())
}

function spokenFor<Change extends PageChange>(changes: readonly Change[], alerts: readonly Alert[]): Change[] {
  const later = [...changes]
  // Found before the alert, newest last.
  const open: Change[] = []
  return alerts.flatMap(({ createdAt }) => {
    const age = (change: Change | undefined) => Date.parse(createdAt) - Date.parse(change?.scannedAt ?? '')
    while (age(later.at(-1)) >= 0) open.push(...later.splice(-1))
    return age(open.at(-1)) <= dayMs ? open.splice(-1) : []
  })
}
