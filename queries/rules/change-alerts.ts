import { changeEvent, gradeEvent } from '../../schema/pci.ts'

/** What a scan of a payment page found changed. */
export interface PageChange {
  readonly scannedAt: string
  /** Names of the watched headers that changed. */
  readonly headers: readonly string[]
  readonly gradeDroppedFrom: string | null
}

const day = 86_400_000

/** Whether an immediate alert about a change was delivered within a day of its scan (contract, PCI readiness). */
export function isAlerted(
  { scannedAt, headers, gradeDroppedFrom }: PageChange,
  delivered: readonly { readonly eventType: string; readonly createdAt: string }[],
): boolean {
  const found = Date.parse(scannedAt)
  const events = [...(headers.length > 0 ? [changeEvent] : []), ...(gradeDroppedFrom === null ? [] : [gradeEvent])]
  return delivered.some(({ eventType, createdAt }) => {
    const later = Date.parse(createdAt) - found
    return (events as readonly string[]).includes(eventType) && later >= 0 && later <= day
  })
}
