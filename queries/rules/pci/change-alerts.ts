import { dayMs } from '../../../schema/durations.ts'
import { changeEvent, gradeEvent } from '../../../schema/pci.ts'

export interface PageChange {
  readonly scannedAt: string
  readonly headers: readonly string[]
  readonly gradeDroppedFrom: string | null
}

/** `createdAt` is the first delivery. */
interface Alert {
  readonly eventType: string
  readonly createdAt: string
}

const events: readonly (readonly [event: string, has: (change: PageChange) => boolean])[] = [
  [changeEvent, ({ headers }) => headers.length > 0],
  [gradeEvent, ({ gradeDroppedFrom }) => gradeDroppedFrom !== null],
]

/**
 * Rule 68. An alert names no scan, so it covers one change at most: the latest of the day before it that has its event
 * and no other alert.
 * @param changes of every page of the site, newest first.
 * @param alerts oldest first.
 */
export function alertedChanges<Change extends PageChange>(
  changes: readonly Change[],
  alerts: readonly Alert[],
): ReadonlySet<Change> {
  const alerted = events.map(([event, has]) =>
    coveredChanges(
      changes.filter(has),
      alerts.filter(({ eventType }) => eventType === event),
    ),
  )
  return new Set(alerted.flat())
}

function coveredChanges<Change extends PageChange>(changes: readonly Change[], alerts: readonly Alert[]): Change[] {
  const later = [...changes]
  // Before the alert, newest last.
  const open: Change[] = []
  return alerts.flatMap(({ createdAt }) => {
    const age = (change: Change | undefined) => Date.parse(createdAt) - Date.parse(change?.scannedAt ?? '')
    while (age(later.at(-1)) >= 0) open.push(...later.splice(-1))
    return age(open.at(-1)) <= dayMs ? open.splice(-1) : []
  })
}
