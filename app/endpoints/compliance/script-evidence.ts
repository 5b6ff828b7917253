import type { PciReadiness } from '../../../schema/responses/pci.ts'
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

function isStillRunning({ script, lastOnPayment }: InventoryEntry): boolean {
  if (script.status !== 'rejected' || script.decidedAt === null) return false
  const scanned = script.scanPresence ? [Date.parse(script.scanPresence.latestScan.scannedAt)] : []
  return Math.max(...lastOnPayment.values(), ...scanned) > Date.parse(script.decidedAt)
}
