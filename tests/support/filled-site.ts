import { makeSiteToken } from '../../app/collector/site-address.ts'
import { randomReports } from '../../fixtures/reports.ts'
import { dayMs } from '../../schema/durations.ts'
import type { StoredReport } from '../../schema/stored-report.ts'
import type { TenantWriter } from './tenants.ts'

export interface FilledSite {
  readonly siteId: string
  readonly token: string
  readonly reports: readonly StoredReport[]
}

/** Of reports that fill a site: each month more is as many statements more of a move, a deletion or a check. */
export const filledSpan = (days = 4) => ({
  from: new Date(Date.now() - days * dayMs),
  to: new Date(Date.now() - dayMs),
})

/** A site of shop.example.test, with reports that are 1 day to as many days old. */
export async function createFilledSite(
  store: TenantWriter,
  tenantId: string,
  count: number,
  days?: number,
): Promise<FilledSite> {
  const token = makeSiteToken()
  const siteId = await store.createSite(tenantId, { hosts: ['shop.example.test'], token })
  const reports = randomReports({ count, seed: 1, tenantId, siteIds: [siteId], ...filledSpan(days), retentionDays: 90 })
  await store.insertReports(reports)
  return { siteId, token, reports }
}
