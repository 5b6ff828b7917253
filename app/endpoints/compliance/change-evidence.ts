import { listChangeDeliveries } from '../../../queries/alerts/deliveries.ts'
import { withAcknowledgements } from '../../../queries/alerts/with-acknowledgements.ts'
import { paymentPageIds, sitePageIds } from '../../../queries/pages/payment-pages.ts'
import { listScanEvidence } from '../../../queries/scans/scan-evidence.ts'
import { listLatestScanRefs } from '../../../queries/scans/scan-refs.ts'
import { listScans, readScans } from '../../../queries/scans/scans.ts'
import { readScriptChanges } from '../../../queries/scripts/read-script-changes.ts'
import type { Reader } from '../../../queries/sql/query.ts'
import { dayMs } from '../../../schema/durations.ts'
import { changeDays, watchedDays, watchedEvents } from '../../../schema/pci.ts'
import type { PageRecord } from '../../../schema/responses/monitored-page.ts'
import type { PciReadiness } from '../../../schema/responses/pci.ts'
import type { PciReport } from '../../../schema/responses/pci-report.ts'
import type { ListedScan, ScanChanges } from '../../../schema/responses/scan.ts'
import { alertsByChange, alertsOfDeliveries, alertsOfScript } from '../../../schema/rules/pci/change-alerts.ts'

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

type Deliveries = PciReport['evidence']['deliveries']

/** Deliveries of immediate alerts about watched events in 30 days, oldest first. */
export async function readDeliveries({ read }: Reader, site: PaymentPages): Promise<Deliveries> {
  const since = new Date(site.now.getTime() - changeDays * dayMs)
  const deliveries = await read(listChangeDeliveries(site, { eventTypes: watchedEvents, since }))
  return withAcknowledgements(read, site.tenantId, deliveries, site.now)
}

interface FoundChange extends Pick<ListedScan, 'pageId' | 'scannedAt' | 'grade'> {
  readonly scanId: string
  readonly pageLabel: string
  readonly headers: ScanChanges['headers']
  readonly gradeDroppedFrom: ScanChanges['gradeDroppedFrom']
  /** One for each of its events at most. */
  readonly alerts: readonly { readonly alertId: string }[]
  /** First acknowledgement within seven days. */
  readonly acknowledgedAt: string | null
}

/** Scans that found a watched header changed or the grade dropped, newest first. Alerts also cover other pages. */
export async function readChanges(
  { read, readAll }: Reader,
  { tenantId, siteId, pages, now }: PaymentPages,
  deliveries: Deliveries,
): Promise<FoundChange[]> {
  if (pages.length === 0) return []
  const since = new Date(now.getTime() - changeDays * dayMs)
  const labelOf = new Map(pages.map(({ id, label }) => [id, label]))
  const refs = await read(listScanEvidence(tenantId, sitePageIds({ tenantId, siteId }), since))
  const scans = await readScans(readAll, tenantId, refs)
  const found = scans.flatMap(({ id, pageId, scannedAt, grade, changes: { headers, gradeDroppedFrom } }) =>
    headers.length === 0 && gradeDroppedFrom === null
      ? []
      : [{ scanId: id, pageId, scannedAt, headers, gradeDroppedFrom, grade }],
  )
  const { delivered, acknowledged } = alertsOfDeliveries(deliveries)
  const [alertsOf, acknowledgedOf] = [alertsByChange(found, delivered), alertsByChange(found, acknowledged)]
  return found.flatMap((change) => {
    const pageLabel = labelOf.get(change.pageId)
    const acknowledgedAt = firstAcknowledged(acknowledgedOf.get(change))
    return pageLabel === undefined ? [] : [{ ...change, pageLabel, alerts: alertsOf.get(change) ?? [], acknowledgedAt }]
  })
}

const firstAcknowledged = (alerts: readonly { readonly acknowledgedAt: string }[] = []) =>
  alerts.map(({ acknowledgedAt }) => acknowledgedAt).sort()[0] ?? null

/** Changes of scripts in 30 days that no decision allowed within a day, newest first. */
export async function readScriptEvidence(
  reader: Reader,
  { tenantId, siteId, pages, now }: PaymentPages,
  deliveries: Deliveries,
): Promise<PciReport['evidence']['scriptChanges']> {
  if (pages.length === 0) return []
  const since = new Date(now.getTime() - changeDays * dayMs)
  const { delivered, acknowledged } = alertsOfDeliveries(deliveries)
  const decidedBy = (scannedAt: number) => scannedAt + dayMs
  const found = await readScriptChanges(reader, { tenantId, siteId, since, decidedBy })
  return found
    .flatMap(({ isEarlier, change, scanId, pageId, pageLabel, scannedAt, url, hash, sample }) => {
      if (isEarlier || change === 'not_comparable') return []
      const alertIds = alertsOfScript({ scanId, scannedAt }, delivered).map(({ alertId }) => alertId)
      const acknowledgedAt = firstAcknowledged(alertsOfScript({ scanId, scannedAt }, acknowledged))
      const own = { scanId, pageId, pageLabel, scannedAt, url, hash: hash || null, sample }
      return [{ ...own, change, alertIds, acknowledgedAt }]
    })
    .reverse()
}

export const changeEvidence = (changes: readonly FoundChange[]): Evidence['changes'] =>
  changes.map(({ alerts, acknowledgedAt: _, ...change }) => ({
    ...change,
    headers: change.headers.map(({ header }) => header),
    alerted: alerts.length > 0,
  }))
