import { alertDeliveries } from '../../app/import/records/types/alert-deliveries.ts'
import { monitoredPages } from '../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { randomDeliveries, randomPages } from '../../fixtures/random-records.ts'
import { completeScan, randomScans, type ScanRecord } from '../../fixtures/scans.ts'
import type { TenantWriter } from './tenants.ts'

/** Imports records of every kind for a tenant, some for each of its sites. The same seed gives the same records. */
export async function importWorldRecords(
  api: TenantWriter,
  { tenantId, siteIds }: { readonly tenantId: string; readonly siteIds: readonly string[] },
  seed: number,
): Promise<void> {
  const to = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const from = new Date(to.getTime() - 2 * 86_400_000)
  const pages = siteIds.flatMap((siteId, index) =>
    randomPages({ seed: seed * 10 + index, count: 8, siteIds: [siteId] }),
  )
  const scanned = siteIds.flatMap((siteId, index) =>
    pages.slice(index * 8, index * 8 + 1).map((page) => ({ ...page, id: siteId })),
  )
  await api.importRecords(tenantId, monitoredPages, [...pages, ...scanned])
  const scansOf = siteIds.flatMap((siteId, index) => worldScans(siteId, seed * 10 + index, from, to))
  await Promise.all([
    api.importRecords(tenantId, scans, scansOf),
    api.importRecords(tenantId, alertDeliveries, randomDeliveries({ seed, count: 30, siteIds, from, to })),
  ])
}

/** The page of a site that its scans are of, and one of them, when every world has them: both have the site's own id. */
export const worldScanIds = (siteId: string) => ({ pageId: siteId, scanId: siteId })

function worldScans(siteId: string, seed: number, from: Date, to: Date): ScanRecord[] {
  const { pageId, scanId } = worldScanIds(siteId)
  const known = completeScan({ id: scanId, pageId, scannedAt: '2026-01-01T04:00:00.000Z' })
  return [known, ...randomScans({ seed, count: 12, pageIds: [pageId], from, to })]
}
