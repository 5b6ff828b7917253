import { randomUUID } from 'node:crypto'
import { fetches, scannedScript } from '../../fixtures/scanned-scripts.ts'
import { completeScan, sending } from '../../fixtures/scans.ts'
import { dayMs, hourMs } from '../../schema/durations.ts'
import { ready, scenarioRecords } from './pci-scenarios.ts'
import { createPciTenants, type PciSite } from './pci-tenants.ts'
import type { TenantWriter } from './tenants.ts'

export interface ReportSite extends PciSite {
  readonly tenantId: string
}

/**
 * A site of that name, as is its first page's label: its payment page changed four days ago, which nobody heard of as
 * the receiver rejected the alert, and a day later, which was alerted.
 */
export async function createReportSite(api: TenantWriter, name: string): Promise<ReportSite> {
  const now = Date.now()
  const ago = (ms: number) => new Date(now - ms).toISOString()
  const checkout = 'https://shop.example.test/checkout'
  let owner = ''
  const make = (tenantId: string, [siteId = '']: readonly string[]) => {
    owner = tenantId
    const reported = { ...ready, unprotected: { 'app.js': checkout, 'new.js': checkout } }
    const records = scenarioRecords(reported, { tenantId, siteId, now })
    const scan = (age: number, frame: string, grade: 'A' | 'B') =>
      completeScan({
        id: randomUUID(),
        pageId: records.pages[0]?.id ?? '',
        scannedAt: ago(age),
        grade,
        headers: sending({ 'content-security-policy': `default-src 'self'; frame-src ${frame}` }),
        scripts: [scannedScript('https://shop.example.test/js/app.js', fetches.own)],
      })
    const delivery = (age: number, outcome: 'delivered' | 'rejected') => ({
      id: randomUUID(),
      alertId: randomUUID(),
      kind: 'immediate' as const,
      outcome,
      siteId,
      siteIds: [],
      detail: outcome === 'rejected' ? 'The receiver answered 500' : null,
      summary: null,
      destination: { id: siteId, name: outcome === 'rejected' ? 'Web team' : 'On call', type: 'email' as const },
      eventType: 'page.headers_changed',
      createdAt: ago(age),
    })
    return {
      ...records,
      pages: records.pages.map((page) => ({ ...page, label: page.position === 0 ? name : page.label })),
      scans: [
        ...records.scans,
        scan(5 * dayMs, 'https://a.test', 'A'),
        scan(4 * dayMs, 'https://c.test', 'A'),
        scan(3 * dayMs, 'https://b.test', 'B'),
      ],
      deliveries: [delivery(4 * dayMs - hourMs, 'rejected'), delivery(3 * dayMs - hourMs, 'delivered')],
    }
  }
  const [[made] = []] = await createPciTenants(api, [{ plan: 'business', siteNames: [name], make }])
  if (!made) throw new Error('no site')
  return { ...made, tenantId: owner }
}
