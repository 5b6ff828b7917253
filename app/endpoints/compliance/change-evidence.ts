import { type DeliveredAlert, listDeliveredAlerts } from '../../../queries/alerts/deliveries.ts'
import { paymentPageIds, sitePageIds } from '../../../queries/pages/payment-pages.ts'
import { listScanEvidence } from '../../../queries/scans/scan-evidence.ts'
import { listLatestScanRefs } from '../../../queries/scans/scan-refs.ts'
import { listScans, readScans } from '../../../queries/scans/scans.ts'
import { readScriptChanges } from '../../../queries/scripts/read-script-changes.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { dayMs } from '../../../schema/durations.ts'
import { changeDays, scriptEvent, watchedDays, watchedEvents } from '../../../schema/pci.ts'
import type { PageRecord } from '../../../schema/responses/monitored-page.ts'
import type { PciReadiness } from '../../../schema/responses/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import type { ListedScan, ScanChanges } from '../../../schema/responses/scan.ts'
import { alertsByChange, alertsOfScript } from '../../../schema/rules/pci/change-alerts.ts'

interface PaymentPages {
  readonly tenantId: string
  readonly siteId: string
  readonly pages: readonly PageRecord[]
  readonly now: Date
}

type Evidence = PciReadiness['evidence']

export async function pageEvidence(
  { read, readAll }: Reader,
  { tenantId, siteId, pages, now }: PaymentPages,
  includesScans: boolean,
): Promise<Evidence['pages']> {
  const ids = paymentPageIds({ tenantId, siteId })
  const refs = pages.length === 0 ? [] : await read(listLatestScanRefs(tenantId, ids, 'complete'))
  const scans = new Map((await readAll(listScans(tenantId, refs))).map((scan) => [scan.pageId, scan]))
  return pages.map(({ id, label, scanUrl }) => {
    const last = scans.get(id)
    const recentScan = last !== undefined && now.getTime() - Date.parse(last.scannedAt) < watchedDays * dayMs
    const scan = { lastScanAt: last?.scannedAt ?? null, grade: last?.grade ?? null }
    return { id, label, scanUrl, ...scan, watched: includesScans && recentScan }
  })
}

interface FoundChange extends Pick<ListedScan, 'pageId' | 'scannedAt' | 'grade'> {
  readonly scanId: string
  readonly pageLabel: string
  readonly headers: ScanChanges['headers']
  readonly gradeDroppedFrom: ScanChanges['gradeDroppedFrom']
  /** One for each of its events at most. */
  readonly alerts: readonly DeliveredAlert[]
}

/** Scans that found a watched header changed or the grade dropped, newest first. Alerts also cover other pages. */
export async function readChanges(
  { read, readAll }: Reader,
  { tenantId, siteId, pages, now }: PaymentPages,
): Promise<FoundChange[]> {
  if (pages.length === 0) return []
  const since = new Date(now.getTime() - changeDays * dayMs)
  const labelOf = new Map(pages.map(({ id, label }) => [id, label]))
  const [refs, delivered] = await Promise.all([
    read(listScanEvidence(tenantId, sitePageIds({ tenantId, siteId }), since)),
    read(listDeliveredAlerts(tenantId, siteId, { eventTypes: watchedEvents, since })),
  ])
  const scans = await readScans(readAll, tenantId, refs)
  const found = scans.flatMap(({ id, pageId, scannedAt, grade, changes: { headers, gradeDroppedFrom } }) =>
    headers.length === 0 && gradeDroppedFrom === null
      ? []
      : [{ scanId: id, pageId, scannedAt, headers, gradeDroppedFrom, grade }],
  )
  const alertsOf = alertsByChange(found, delivered)
  return found.flatMap((change) => {
    const pageLabel = labelOf.get(change.pageId)
    return pageLabel === undefined ? [] : [{ ...change, pageLabel, alerts: alertsOf.get(change) ?? [] }]
  })
}

/** Changes of scripts in 30 days that no decision allowed within a day, newest first. */
export async function readScriptEvidence(
  reader: Reader,
  { tenantId, siteId, pages, now }: PaymentPages,
): Promise<PciReport['evidence']['scriptChanges']> {
  if (pages.length === 0) return []
  const since = new Date(now.getTime() - changeDays * dayMs)
  const [found, delivered] = await Promise.all([
    readScriptChanges(reader, { tenantId, siteId, since, decidedBy: (scannedAt) => scannedAt + dayMs }),
    reader.read(listDeliveredAlerts(tenantId, siteId, { eventTypes: [scriptEvent], since })),
  ])
  return found
    .filter(({ isEarlier }) => !isEarlier)
    .map(({ scanId, pageId, pageLabel, scannedAt, url, hash, change }) => {
      const alertIds = alertsOfScript({ scanId, scannedAt }, delivered).map(({ alertId }) => alertId)
      return { scanId, pageId, pageLabel, scannedAt, url, hash: hash || null, change, alertIds }
    })
    .reverse()
}

export const changeEvidence = (changes: readonly FoundChange[]): Evidence['changes'] =>
  changes.map(({ alerts, ...change }) => ({
    ...change,
    headers: change.headers.map(({ header }) => header),
    alerted: alerts.length > 0,
  }))
