import type { SiteRef } from '../../../queries/pages/payment-pages.ts'
import { listScannedWeeks } from '../../../queries/scripts/scanned-weeks.ts'
import type { Read } from '../../../queries/sql/query.ts'
import type { PciReadiness } from '../../../schema/responses/pci.ts'
import { groupBy } from '../../../schema/rules/group-by.ts'
import { isScannedWeekly } from '../../../schema/rules/pci/integrity-method.ts'
import { type Inventory, type InventoryEntry, isOnPaymentPage } from '../scripts/read-inventory.ts'

export type ScriptEvidence = PciReadiness['evidence']['scripts'][number]

export function scriptEvidence(inventory: Inventory): ScriptEvidence[] {
  const uninventoried = new Map(inventory.uninventoriedCounts.map(({ host, onPayment }) => [host, onPayment]))
  const labelOf = new Map(inventory.paymentPages.map(({ id, label }) => [id, label]))
  return inventory.entries.filter(isOnPaymentPage).map((entry) => {
    const pages = paymentPagesOf(entry)
    const { id, url, status, integrityMode, justification, decidedBy, decidedAt, coverage } = entry.script
    return {
      id,
      url,
      status,
      integrityMode,
      justification,
      decidedBy,
      decidedAt,
      coverage,
      stillRunning: isStillRunning(entry),
      paymentPages: [...labelOf].filter(([pageId]) => pages.has(pageId)).map(([pageId, label]) => ({ pageId, label })),
      uninventoriedUnprotected: uninventoried.get(new URL(url).hostname) ?? 0,
    }
  })
}

const paymentPagesOf = ({ script, lastOnPayment }: InventoryEntry): ReadonlySet<string> =>
  new Set([...lastOnPayment.keys(), ...(script.scanPresence?.foundOn ?? [])])

/**
 * Ids of the scripts whose authorized hash scans found each week on every payment page that has them.
 * @param addedAt by page, in milliseconds since the Unix epoch.
 */
export async function readScannedIds(
  read: Read,
  site: SiteRef & { readonly now: Date },
  { entries, addedAt }: Pick<Inventory, 'entries'> & { readonly addedAt: ReadonlyMap<string, number> },
): Promise<ReadonlySet<string>> {
  const pinned = entries.filter(({ pinnedHashes }) => pinnedHashes.length > 0)
  if (pinned.length === 0) return new Set()
  const rows = groupBy(await read(listScannedWeeks(site, site.now)), ({ url }) => url)
  const scanned = pinned.filter((entry) => {
    const foundOn = new Map(rows.get(entry.script.url)?.map(({ pageId, found }) => [pageId, found]))
    const gone = entry.script.scanPresence?.goneFrom.map(({ pageId }) => pageId) ?? []
    const pages = [...paymentPagesOf(entry)].filter((id) => addedAt.has(id) && !gone.includes(id))
    return isScannedWeekly(
      {
        pinnedHashes: entry.pinnedHashes,
        authorizedAt: Date.parse(entry.script.decidedAt ?? ''),
        pages: pages.map((id) => ({ addedAt: addedAt.get(id) ?? 0, found: foundOn.get(id) ?? [] })),
      },
      site.now.getTime(),
    )
  })
  return new Set(scanned.map(({ script }) => script.id))
}

function isStillRunning({ script, lastOnPayment }: InventoryEntry): boolean {
  if (script.status !== 'rejected' || script.decidedAt === null) return false
  const scanned = script.scanPresence ? [Date.parse(script.scanPresence.latestScan.scannedAt)] : []
  return Math.max(...lastOnPayment.values(), ...scanned) > Date.parse(script.decidedAt)
}
