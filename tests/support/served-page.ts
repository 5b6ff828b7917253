/** @module A monitored page with one complete scan: what a site is known to serve, and to refer to. */

import { randomUUID } from 'node:crypto'
import { monitoredPages } from '../../app/import/records/types/monitored-pages.ts'
import { scans } from '../../app/import/records/types/scans.ts'
import { completeScan, sending } from '../../fixtures/scans.ts'
import { hourMs } from '../../schema/durations.ts'
import type { TenantWriter } from './tenants.ts'

interface Served {
  readonly headers?: Parameters<typeof sending>[0]
  readonly sources?: readonly { readonly directive: string; readonly source: string }[]
}

export async function servePage(
  api: Pick<TenantWriter, 'insertMonitoredPage' | 'importRecords'>,
  { tenantId, siteId }: { readonly tenantId: string; readonly siteId: string },
  { headers = {}, sources = [] }: Served,
): Promise<void> {
  const [id, pageId, url] = [randomUUID(), randomUUID(), `https://shop.example.test/${randomUUID()}`]
  const page = { id: pageId, siteId, kind: 'other', label: 'Shop', pattern: url, scanUrl: url }
  await api.importRecords(tenantId, monitoredPages, [page])
  const scan = completeScan({ id, pageId, scannedAt: new Date(Date.now() - hourMs).toISOString(), scanUrl: url })
  await api.importRecords(tenantId, scans, [
    { ...scan, headers: sending(headers), result: { ...scan.result, sources }, scripts: null },
  ])
}
